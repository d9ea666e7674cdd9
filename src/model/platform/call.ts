/** A call of the platform: method, path, parameters, body and answer. The client and the simulator share it. */
import { z } from 'zod';

/** A schema with its name in the OpenAPI description. */
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
  /** The path, with its parameters in braces: `/computers/{computerId}`. */
  readonly path: string;
  readonly pathParameters: Path;
  /** A forbidden parameter has zod's type `never`. */
  readonly query: Query;
  readonly body: NamedSchema<Body>;
  readonly success: NamedSchema & { readonly status: number };
}

/** The body of a call that has none. */
export const noBody = { name: '', schema: z.undefined() };

/** The path with its parameters filled in. Throws `TypeError` when a value is missing. */
export function pathOf({ path }: Pick<Call, 'path'>, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${path}: expected a value for ${name}`);
    return encodeURIComponent(value);
  });
}
