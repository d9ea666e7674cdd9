/**
 * A collector of traces, made from the official definitions of OTLP. It refuses what does not fit the definitions, and
 * fields that they do not have.
 */
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ExportTraceServiceRequest } from '../libraries/otlp-definitions.ts';

/** A span as it was delivered. Times are in nanoseconds. */
export interface CollectedSpan {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the parent span; empty for a span without one. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly hasFailed: boolean;
  readonly start: bigint;
  readonly end: bigint;
}

export interface OtlpCollector {
  /** The URL of the collector: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Attributes of the resources that sent spans. */
  readonly resources: Record<string, string | number>[];
  /** The body of every request. */
  readonly bodies: string[];
  close(): Promise<void>;
}

/** Starts a collector; close it after the test. `answer` answers each request. */
export async function startOtlpCollector(
  answer: (response: ServerResponse) => void = accept,
): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const resources: OtlpCollector['resources'] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/json') {
      response.writeHead(400).end();
      return;
    }
    for (const { resource, scopeSpans } of readRequest(body).resourceSpans ?? []) {
      resources.push(attributesOf(resource?.attributes));
      for (const span of (scopeSpans ?? []).flatMap((scope) => scope.spans ?? []))
        spans.push(collected(span));
    }
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    resources,
    bodies,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function accept(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{}');
}

const keyValues = z.array(
  z.object({
    key: z.string(),
    value: z.object({ stringValue: z.string().optional(), intValue: z.coerce.number().optional() }),
  }),
);
const sentSpan = z.object({
  name: z.string(),
  kind: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  attributes: keyValues.default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.string().optional() }).optional(),
  startTimeUnixNano: z.string().transform(BigInt),
  endTimeUnixNano: z.string().transform(BigInt),
});
const sentRequest = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: keyValues }),
      scopeSpans: z.array(z.object({ spans: z.array(sentSpan) })),
    }),
  ),
});

/**
 * Reads JSON by the definitions: converts it to the binary form and back. The JSON of OTLP differs from that of protobuf
 * only in its ids, which are hexadecimal.
 */
function readRequest(body: string): z.infer<typeof sentRequest> {
  const sent: unknown = JSON.parse(body, (key, value: unknown) =>
    isId(key, value) ? Buffer.from(value, 'hex').toString('base64') : value,
  );
  if (typeof sent !== 'object' || sent === null) throw new TypeError('expected an object');
  const message = ExportTraceServiceRequest.fromObject(sent);
  const read = ExportTraceServiceRequest.toObject(
    ExportTraceServiceRequest.decode(ExportTraceServiceRequest.encode(message).finish()),
    { longs: String, bytes: String, enums: String },
  );
  const lost = lostOf(sent, read, '');
  if (lost.length > 0) throw new Error(`not in the definitions of OTLP: ${lost.join(', ')}`);
  return sentRequest.parse(
    JSON.parse(JSON.stringify(read), (key, value: unknown) =>
      isId(key, value) ? Buffer.from(value, 'base64').toString('hex') : value,
    ),
  );
}

function isId(key: string, value: unknown): value is string {
  return ['traceId', 'spanId', 'parentSpanId'].includes(key) && typeof value === 'string';
}

/** The paths of values that were sent and are missing in what was read. */
function lostOf(sent: unknown, read: unknown, path: string): string[] {
  if (typeof sent !== 'object' || sent === null) {
    // Default values are left out, numbers become text, and numbers of enums become names.
    const isDefault = read === undefined && (sent === 0 || sent === '' || sent === false);
    const isSame = isDefault || String(sent) === String(read) || isEnumerated(path, sent);
    return isSame ? [] : [path];
  }
  if (Array.isArray(sent) && sent.length === 0 && read === undefined) return [];
  if (isDeepStrictEqual(sent, {}) && read === undefined) return [];
  return Object.entries(sent).flatMap(([key, value]) =>
    lostOf(value, Object.entries(read ?? {}).find(([name]) => name === key)?.[1], `${path}.${key}`),
  );
}

function isEnumerated(path: string, sent: unknown): boolean {
  return /\.(kind|code)$/.test(path) && typeof sent === 'number';
}

function attributesOf(given: z.infer<typeof keyValues>): Record<string, string | number> {
  return Object.fromEntries(
    given.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? intValue ?? '']),
  );
}

function collected(span: z.infer<typeof sentSpan>): CollectedSpan {
  const { attributes, status, startTimeUnixNano: start, endTimeUnixNano: end, ...same } = span;
  const hasFailed = status?.code === 'STATUS_CODE_ERROR';
  return { ...same, attributes: attributesOf(attributes), hasFailed, start, end };
}
