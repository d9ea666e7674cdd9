/**
 * A call of the platform: what is sent where, and what is answered. Both sides go by it, the client that sends it and the
 * simulator that answers it.
 */
import { z } from 'zod';

/** A schema with the name under which the description of the platform lists it. */
export interface NamedSchema<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
}

export interface Call<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  readonly id: string;
  /** The section of platform-api.md. */
  readonly section: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** With parameters in braces: `/computers/{computerId}`. */
  readonly path: string;
  readonly pathParameters: Path;
  /** A parameter that is never allowed is one of zod's `never`. */
  readonly query: Query;
  readonly body: NamedSchema<Body>;
  readonly success: NamedSchema & { readonly status: number };
}

/** What stands for the body of a call without one. */
export const noBody = { name: '', schema: z.undefined() };

/** The path of a call with these values in it. Throws `TypeError` where one is missing. */
export function pathOf({ path }: Pick<Call, 'path'>, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${path}: expected a value for ${name}`);
    return encodeURIComponent(value);
  });
}
