/** Makes the OpenAPI 3.1 description of operations from the schemas that their routes use. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { noBody } from '../model/platform/call.ts';
import { analyticsProblem, problem } from './answer.ts';
import { usualPort } from './open-points.ts';
import type { OperationDescription } from './operation.ts';

/** The version in the platform's own interface description (platform-api.md §9). */
const interfaceVersion = '0.1.0';

/** The groups of operations, by section of platform-api.md. */
const tags: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  '§4.1': { name: 'Credit limits', description: 'Limits of single users' },
  '§4.2': { name: 'Analytics', description: 'Usage per UTC day' },
  '§4.3': { name: 'Readiness reports', description: 'Evaluations of repositories; they belong to {app_url}' },
  '§4.4': { name: 'Session messages', description: 'Messages of a session' },
  '§4.5': { name: 'Computers', description: 'Persistent computer environments' },
};

/** The description as a plain object. Throws when two different schemas have the same name. */
export function openApiOf(operations: readonly OperationDescription[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const description of operations) {
    paths[description.path] ??= {};
    Object.assign(paths[description.path] ?? {}, {
      [description.method.toLowerCase()]: operationObject(description),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent platform, simulated by usage-etl',
      version: interfaceVersion,
      description:
        'Paths without a version segment belong to {app_url}; the simulator has one address for both.',
      contact: { name: 'usage-etl' },
      license: { name: 'Not licensed', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: 'the simulator on this machine',
        variables: { port: { default: String(usualPort) } },
      },
    ],
    tags: Object.values(tags),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ...schemasOf(
          operations.flatMap(({ body }) => (Object.is(body, noBody) ? [] : [body])),
          'input',
        ),
        ...schemasOf(
          [
            { name: 'Problem', schema: problem },
            { name: 'AnalyticsProblem', schema: analyticsProblem },
            ...operations.map(({ success }) => success),
          ],
          'output',
        ),
      },
    },
  };
}

function operationObject(description: OperationDescription): object {
  const { id, section, summary, success, refusals, body, links, isAnalytics } = description;
  const refusal = isAnalytics ? 'AnalyticsProblem' : 'Problem';
  return {
    operationId: id,
    summary,
    description: `platform-api.md ${section}`,
    tags: [tagOf(section)],
    parameters: [
      ...parametersOf(description.pathParameters, 'path'),
      ...parametersOf(description.query, 'query'),
    ],
    ...(Object.is(body, noBody) ? {} : { requestBody: { required: true, content: jsonOf(body.name) } }),
    responses: {
      [success.status]: {
        description: STATUS_CODES[success.status] ?? '',
        content: jsonOf(success.name),
        ...(links && { links }),
      },
      ...Object.fromEntries(
        refusals.map((status) => [
          status,
          { description: STATUS_CODES[status] ?? '', content: jsonOf(refusal) },
        ]),
      ),
    },
  };
}

function tagOf(section: string): string {
  const tag = tags[section.slice(0, 4)];
  if (tag === undefined) throw new TypeError(`${section}: no group of operations belongs to this section`);
  return tag.name;
}

/** Says that integers have 64 bits: a reader that assumes 32 bits would cut them. */
function describeInteger({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === 'integer') jsonSchema.format = 'int64';
}

function parametersOf({ shape }: z.ZodObject, place: 'path' | 'query'): object[] {
  return Object.entries(shape).flatMap(([name, type]) => {
    if (!(type instanceof z.ZodType)) throw new TypeError(`${name}: expected a type of zod`);
    const {
      $schema: _,
      examples,
      description,
      ...schema
    } = z.toJSONSchema(type, { io: 'output', override: describeInteger });
    // Forbidden parameters are left out.
    if ('not' in schema) return [];
    const required = place === 'path' || !type.safeParse(undefined).success;
    return [{ name, in: place, required, description, schema, ...examplesOf(examples) }];
  });
}

/** The examples of a parameter: zod has a list of them, OpenAPI wants names. */
function examplesOf(examples: unknown): object {
  if (!Array.isArray(examples)) return {};
  const named = examples.map((value: unknown, index) => [`example${index + 1}`, { value }] as const);
  return { examples: Object.fromEntries(named) };
}

function jsonOf(name: string): object {
  return { 'application/json': { schema: { $ref: referenceTo(name) } } };
}

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function schemasOf(
  named: readonly { readonly name: string; readonly schema: z.ZodType }[],
  io: 'input' | 'output',
): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const { name, schema } of named) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: referenceTo,
    override: describeInteger,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
}
