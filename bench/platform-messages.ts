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
  /** At least so many models for each user of `/tokens`; the generator gives most users one. */
  modelsPerUser: z.number().optional(),
  /** On every day of `/tools` so many hooks that no other day has, each with a command of so many characters. */
  hooks: z.object({ perDay: z.number(), characters: z.number() }).optional(),
});

/** Orders to the platform. */
export const platformOrder = z.discriminatedUnion('type', [
  z.object({ type: z.literal('restate'), from: z.string(), to: z.string(), everyNth: z.number() }),
  z.object({ type: z.literal('requests') }),
]);

const platformRequest = z.object({
  /** When it arrived, in milliseconds since 1970. */
  at: z.number(),
  /** Path and query. */
  target: z.string(),
});

/** Its answers. */
export const platformAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening'), url: z.string() }),
  z.object({ type: z.literal('restated'), rows: z.number() }),
  /** What arrived since this was last asked, in order. */
  z.object({ type: z.literal('requests'), requests: z.array(platformRequest) }),
]);

export type PlatformOptions = z.infer<typeof platformOptions>;
export type PlatformOrder = z.infer<typeof platformOrder>;
export type PlatformAnswer = z.infer<typeof platformAnswer>;
export type PlatformRequest = z.infer<typeof platformRequest>;
