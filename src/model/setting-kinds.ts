/** Types of setting values, with their error messages. */
import { z } from 'zod';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an address is on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.has(hostname);
}

/** Whether the connection to an address is confidential: https, or http on this machine. */
export function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

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

/** A path below a host. `//name` and `/\name` would mean another host. */
export const path = z
  .string()
  .trim()
  .regex(/^\/(?![/\\])[^\s?#\\]*$/, { error: 'expected a path that begins with one slash, without query' });

/** An address that receives no secret and whose answers are not used: any host is allowed. */
export const httpUrl = z.string().transform((text, context) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed !== undefined && isPlainHttp(parsed)) return parsed;
  const message =
    'expected an http or https URL such as http://127.0.0.1:4318, without user name, password, query and fragment';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

function isPlainHttp({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}
