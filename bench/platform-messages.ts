/** The messages between the benchmark and its simulated platform. */
import { z } from 'zod';

/** Options of the platform's process. */
export const platformOptions = z.object({
  users: z.number(),
  apiKey: z.string(),
  latencyMs: z.number(),
  cacheBytes: z.number(),
  /** A day with so many active users on `/users`, in place of the users that the generator makes. */
  crowd: z.object({ day: z.string(), users: z.number() }).optional(),
  /** Least number of models per user of `/tokens`; the generator gives most users one model. */
  modelsPerUser: z.number().optional(),
  /** Number of hooks per day of `/tools` that occur on no other day, and the length of their commands. */
  hooks: z.object({ perDay: z.number(), characters: z.number() }).optional(),
});

/** Orders to the platform. */
export const platformOrder = z.discriminatedUnion('type', [
  z.object({ type: z.literal('restate'), from: z.string(), to: z.string(), everyNth: z.number() }),
  z.object({ type: z.literal('requests') }),
]);

const platformRequest = z.object({
  /** Time of arrival, in ms since 1970. */
  at: z.number(),
  /** Path and query. */
  target: z.string(),
});

/** Answers of the platform's process. */
export const platformAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening'), url: z.string() }),
  z.object({ type: z.literal('restated'), rows: z.number() }),
  /** The requests that arrived since the last order `requests`, by time of arrival. */
  z.object({ type: z.literal('requests'), requests: z.array(platformRequest) }),
]);

export type PlatformOptions = z.infer<typeof platformOptions>;
export type PlatformOrder = z.infer<typeof platformOrder>;
export type PlatformAnswer = z.infer<typeof platformAnswer>;
export type PlatformRequest = z.infer<typeof platformRequest>;
