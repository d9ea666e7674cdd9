/** Answers of the simulated platform: JSON, or a problem body for a refusal (platform-api.md §7). */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

export interface Answer {
  readonly status: number;
  /** The headers without `content-length`, which the server computes from the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The body of a refusal. */
export const problem = z.strictObject({
  title: z.string(),
  detail: z.string(),
  status: z.int(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Problem bodies of analytics have a request id. */
export const analyticsProblem = problem.extend({ requestId: z.string() });

const jsonHeaders = { 'content-type': 'application/json' };

/** An answer with a value as JSON. */
export function answer(status: number, value: object): Answer {
  return jsonAnswer(status, Buffer.from(JSON.stringify(value)));
}

/** An answer with JSON that is already written. */
export function jsonAnswer(status: number, body: Buffer): Answer {
  return { status, headers: jsonHeaders, body };
}

/** A refusal. Handlers throw it, and the server answers with a problem body. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `detail` is a sentence with the expected and the actual value. */
  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * The problem body for an error of a handler: status 500 unless it is a `Problem`. Only analytics have a request id.
 */
export function problemAnswer(error: unknown, requestId: string | undefined): Answer {
  const status = error instanceof Problem ? error.status : 500;
  const detail = error instanceof Error ? error.message : String(error);
  const body: z.input<typeof problem> & { requestId: string | undefined } = {
    title: STATUS_CODES[status] ?? 'Error',
    detail,
    status,
    requestId,
  };
  return {
    status,
    headers: { ...jsonHeaders, ...(error instanceof Problem ? error.headers : {}) },
    body: Buffer.from(JSON.stringify(body)),
  };
}
