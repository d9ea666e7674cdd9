/** What the benchmark and its simulated platform say to each other. */
import { z } from 'zod';

/** Options of the platform's process. */
export const platformOptions = z.object({
  users: z.number(),
  apiKey: z.string(),
  latencyMs: z.number(),
  cacheBytes: z.number(),
  /** A day with this many active users on `/users`, whatever the generator has. */
  crowd: z.object({ day: z.string(), users: z.number() }).optional(),
});

/** Orders to the platform. */
export const platformOrder = z.discriminatedUnion('type', [
  z.object({ type: z.literal('restate'), from: z.string(), to: z.string(), everyNth: z.number() }),
  z.object({ type: z.literal('arrivals') }),
]);

/** Its answers. */
export const platformAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening'), url: z.string() }),
  z.object({ type: z.literal('restated'), rows: z.number() }),
  /** When each request arrived, in milliseconds since 1970, in order. */
  z.object({ type: z.literal('arrivals'), at: z.array(z.number()) }),
]);

export type PlatformOptions = z.infer<typeof platformOptions>;
export type PlatformOrder = z.infer<typeof platformOrder>;
export type PlatformAnswer = z.infer<typeof platformAnswer>;
