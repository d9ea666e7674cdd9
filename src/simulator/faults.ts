/** Faults of simulated requests, for tests of clients. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Answer } from './answer.ts';

export type Fault =
  /** An answer with this status instead of the right one. A `body` that is not a string is sent as JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly contentType?: string;
    }
  /** The connection is reset before the answer. */
  | { readonly kind: 'reset' }
  /** No answer, until the client or the simulator closes the connection. */
  | { readonly kind: 'hang' }
  /** The connection is closed in the middle of the body, although `content-length` is that of the whole body. */
  | { readonly kind: 'truncate' }
  /** 200 with an HTML page, such as that of a proxy or a login. */
  | { readonly kind: 'html' }
  /** The right body as `text/plain`. */
  | { readonly kind: 'wrong-type' }
  /** 200 with JSON that ends in the middle; `content-length` is that of the shortened body. */
  | { readonly kind: 'garbage' }
  /** The envelope is changed before it is sent. */
  | { readonly kind: 'mutate'; readonly mutate: (envelope: unknown) => unknown }
  /** The right body with changed bytes; it may no longer be JSON. */
  | { readonly kind: 'rewrite'; readonly rewrite: (body: Buffer) => Buffer }
  /** The right answer with a delay. */
  | { readonly kind: 'delay'; readonly ms: number };

/** Sends an answer, with a fault if one is given; calls `answer` only if the fault needs the right answer. */
export function sendWithFault(
  outgoing: ServerResponse,
  fault: Fault | undefined,
  answer: () => Answer,
  requestId: string | undefined,
): void {
  switch (fault?.kind) {
    case 'hang':
      return;
    case 'reset':
      outgoing.socket?.resetAndDestroy();
      return;
    case 'truncate':
      sendTruncated(outgoing, answer());
      return;
    default:
      send(outgoing, fault === undefined ? answer() : faultyAnswer(fault, answer, requestId));
  }
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, { ...headers, 'content-length': body.length });
  outgoing.end(body);
}

function sendTruncated(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, { ...headers, 'content-length': body.length });
  outgoing.write(firstHalf(body), () => outgoing.destroy());
}

function faultyAnswer(
  fault: Exclude<Fault, { kind: 'hang' | 'reset' | 'truncate' }>,
  answer: () => Answer,
  requestId: string | undefined,
): Answer {
  switch (fault.kind) {
    case 'delay':
      return answer();
    case 'html':
      return {
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: Buffer.from('<!doctype html><title>Sign in</title><p>Please sign in.</p>'),
      };
    case 'wrong-type':
      return { ...answer(), headers: { 'content-type': 'text/plain; charset=utf-8' } };
    case 'garbage': {
      const right = answer();
      return { ...right, body: firstHalf(right.body) };
    }
    case 'mutate': {
      const right = answer();
      const envelope: unknown = JSON.parse(right.body.toString());
      return { ...right, body: Buffer.from(JSON.stringify(fault.mutate(envelope))) };
    }
    case 'rewrite': {
      const right = answer();
      return { ...right, body: fault.rewrite(right.body) };
    }
    case 'status':
      return {
        status: fault.status,
        headers: { 'content-type': fault.contentType ?? 'application/json', ...fault.headers },
        body: Buffer.from(bodyText(fault.body ?? defaultProblem(fault.status, requestId))),
      };
  }
}

function defaultProblem(status: number, requestId: string | undefined): object {
  const title = STATUS_CODES[status] ?? 'Error';
  return { title, detail: `a fault of the simulator: ${status}`, status, requestId };
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}
