/** Kinds of values that settings have, and what is said of one that is none. */
import { z } from 'zod';

/** A whole number within bounds. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max, {
      error: (issue) => `expected a whole number from ${min} to ${max}, got ${JSON.stringify(issue.input)}`,
    })
    .transform(Number);

/** A number within bounds. */
export const decimal = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+(\.\d+)?$/.test(text.trim()) && Number(text) >= min && Number(text) <= max, {
      error: (issue) => `expected a number from ${min} to ${max}, got ${JSON.stringify(issue.input)}`,
    })
    .transform(Number);

/** One of a few words. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, {
    error: (issue) => `expected one of ${values.join(', ')}, got ${JSON.stringify(issue.input)}`,
  });

/** Below a host. `//name` and `/\name` would be read as another host. */
export const path = z
  .string()
  .trim()
  .regex(/^\/(?![/\\])[^\s?#\\]*$/, { error: 'expected a path that begins with one slash, without query' });
