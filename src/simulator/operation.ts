/**
 * An operation of the platform. Its route (in this file) and its part of the OpenAPI description (`openapi.ts`) are made
 * from one description.
 */
import type { z } from 'zod';
import { type Call, noBody } from '../model/platform/call.ts';
import type { OperationAccess } from './access.ts';
import { type Answer, Problem } from './answer.ts';
import type { Route, RoutedRequest } from './routing.ts';

/** A link to another operation. Its parameters are OpenAPI expressions that read values from the answer. */
export interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface OperationDescription<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> extends Call<Path, Query, Body> {
  /** The statuses with which the operation refuses requests. */
  readonly refusals: readonly number[];
  /** The status for a request that does not match the description. */
  readonly badRequest: number;
  /** Whether unknown parameters are refused. */
  readonly refusesUnknown: boolean;
  /** Whether it belongs to analytics: then problem bodies have a request id. */
  readonly isAnalytics: boolean;
  readonly links?: Readonly<Record<string, Link>>;
}

/** An operation with its handler. */
export interface Operation {
  readonly description: OperationDescription;
  readonly answer: (request: RoutedRequest) => Answer;
}

/** Makes an operation. Checks credentials first, then path, query and body; `perform` may throw a `Problem`. */
export function operation<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  description: OperationDescription<Path, Query, Body>,
  { apiKeys, allow }: OperationAccess,
  perform: (request: {
    readonly path: z.output<Path>;
    readonly query: z.output<Query>;
    readonly body: z.output<Body>;
  }) => Answer,
): Operation {
  const { badRequest, body } = description;
  const contentOf = (request: RoutedRequest) =>
    Object.is(body, noBody) ? undefined : readJson(request, badRequest);
  return {
    description,
    answer: (request) => {
      allow(apiKeys, request.authorization);
      const path = parsed(description.pathParameters, request.path, badRequest);
      const query = readQuery(description, request.query);
      return perform({ path, query, body: parsed(body.schema, contentOf(request), badRequest) });
    },
  };
}

/** The routes of operations: one per path, with all its methods. */
export function routesOf(operations: readonly Operation[]): Route[] {
  const byPath = Map.groupBy(operations, ({ description }) => description.path);
  return Array.from(byPath, ([path, of]) => ({
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    methods: Object.fromEntries(of.map(({ description, answer }) => [description.method, answer])),
  }));
}

function readQuery<Query extends z.ZodObject>(
  { query, badRequest, refusesUnknown }: OperationDescription<z.ZodObject, Query>,
  given: URLSearchParams,
): z.output<Query> {
  for (const name of given.keys()) {
    if (given.getAll(name).length > 1) throw new Problem(badRequest, `${name} is given more than once`);
    if (refusesUnknown && !Object.hasOwn(query.shape, name))
      throw new Problem(badRequest, `${name} is not a parameter of this operation`);
  }
  return parsed(query, Object.fromEntries(given), badRequest);
}

function readJson({ body, contentType }: RoutedRequest, badRequest: number): unknown {
  if (!/^application\/json *(;|$)/i.test(contentType ?? ''))
    throw new Problem(
      badRequest,
      `expected a body of type application/json, got ${contentType ?? 'no content-type'}`,
    );
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new Problem(badRequest, `the body is not JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  badRequest: number,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Problem(badRequest, issue === undefined ? 'the request is not as documented' : sentenceOf(issue));
}

/** The sentence about an issue, with the name of the field: messages of zod do not have it. */
function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  const [first] = path;
  return first === undefined || message.includes(String(first)) ? message : `${path.join('.')}: ${message}`;
}
