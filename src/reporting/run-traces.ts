/**
 * A run as spans: `usage_etl.run`, with the children `usage_etl.slice`, `usage_etl.request` and `usage_etl.load`. A
 * request or load for one slice is a child of the slice's span. A request or load for several slices is a child of the
 * run's span, with links to the slices. Spans have no texts of platform or database, because these may name a person.
 */
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { AttemptEnded, RunEvent, RunObserver } from '../model/run.ts';
import type { Sanitize } from '../model/sanitize.ts';
import type { Slice } from '../model/source.ts';

/** An open span, and the context of its children. */
interface Open {
  readonly span: Span;
  readonly context: Context;
}

/** The slices of a request's attempt or of a load, and the duration. */
interface Timed {
  readonly slices: readonly Slice[];
  readonly durationMs: number;
}

/** Outcome in the span of a slice that the run did not finish. */
const unfinished = 'unfinished';

/** Makes spans of runs; `sanitize` cleans names from outside. */
export function traceRuns(tracer: Tracer, sanitize: Sanitize): RunObserver {
  return () => {
    let run: (Open & { readonly beganAt: number }) | undefined;
    const planned = new Map<string, Slice>();
    const slices = new Map<string, Open>();

    function open(name: string, startTime: number, attributes: Attributes, parent: Context): Open {
      const span = tracer.startSpan(name, { startTime, attributes }, parent);
      return { span, context: trace.setSpan(parent, span) };
    }

    /** The span of a slice; the first request or load for the slice opens it. Undefined when it has ended. */
    function sliceAt(slice: Slice, startTime: number): Open | undefined {
      const name = nameOf(slice);
      if (planned.delete(name))
        slices.set(
          name,
          open(
            'usage_etl.slice',
            startTime,
            { 'usage_etl.endpoint': slice.endpoint, 'usage_etl.slice_key': sanitize(slice.key) },
            run?.context ?? ROOT_CONTEXT,
          ),
        );
      return slices.get(name);
    }

    function settle(slice: Slice, outcome: string, at = Date.now()): void {
      const span = sliceAt(slice, at)?.span;
      slices.delete(nameOf(slice));
      span?.setAttribute('usage_etl.outcome', outcome);
      if (outcome === 'failed') span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end(at);
    }

    /** Records a finished request or load. */
    function record(
      name: string,
      { slices: of, durationMs }: Timed,
      { kind, attributes, hasFailed }: { kind: SpanKind; attributes: Attributes; hasFailed: boolean },
    ): void {
      if (run === undefined) return;
      const endTime = Date.now();
      const startTime = Math.max(run.beganAt, endTime - durationMs);
      const concerned = of.flatMap((slice) => sliceAt(slice, startTime) ?? []);
      const [only] = concerned;
      const isForOne = of.length === 1 && only !== undefined;
      const links: Link[] = isForOne ? [] : concerned.map(({ span }) => ({ context: span.spanContext() }));
      const span = tracer.startSpan(
        name,
        { kind, startTime, attributes, links },
        isForOne ? only.context : run.context,
      );
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endTime);
    }

    function end({ status }: Extract<RunEvent, { type: 'run-ended' }>): void {
      const at = Date.now();
      for (const slice of planned.values()) sliceAt(slice, at);
      for (const { span } of slices.values()) span.setAttribute('usage_etl.outcome', unfinished).end(at);
      slices.clear();
      run?.span.setAttribute('usage_etl.status', status);
      if (status !== 'succeeded') run?.span.setStatus({ code: SpanStatusCode.ERROR });
      run?.span.end(at);
      run = undefined;
    }

    return (event) => {
      switch (event.type) {
        case 'run-begun': {
          const beganAt = Date.now();
          const attributes = {
            'usage_etl.job': event.job,
            'usage_etl.run_id': Number(event.runId),
            ...(event.organization === undefined ? {} : { 'usage_etl.organization': event.organization }),
          };
          run = { ...open('usage_etl.run', beganAt, attributes, ROOT_CONTEXT), beganAt };
          break;
        }
        case 'planned':
          for (const slice of event.newSlices) planned.set(nameOf(slice), slice);
          break;
        case 'attempt-ended':
          record(
            'usage_etl.request',
            { slices: event.purpose?.slices ?? [], durationMs: event.durationMs },
            requestOf(event, sanitize),
          );
          break;
        case 'load-ended':
          record('usage_etl.load', event, {
            kind: SpanKind.INTERNAL,
            attributes: {},
            hasFailed: !event.isWritten,
          });
          break;
        case 'slice-done':
          settle(event.slice, event.outcome.result);
          break;
        case 'slice-failed':
          settle(event.slice, 'failed');
          break;
        case 'source-unavailable':
          settle(event.slice, 'unavailable');
          break;
        case 'run-ended':
          end(event);
          break;
      }
    };
  };
}

function nameOf({ endpoint, key }: Slice): string {
  return `${endpoint}\0${key}`;
}

function requestOf({ purpose, method, path, status, retry }: AttemptEnded, sanitize: Sanitize) {
  const hasFailed = typeof status === 'string' || status >= 400;
  const attributes: Attributes = {
    ...(purpose === undefined ? {} : { 'usage_etl.endpoint': purpose.endpoint }),
    'http.request.method': method,
    'url.path': sanitize(path),
    'http.request.resend_count': retry,
    ...(typeof status === 'number' ? { 'http.response.status_code': status } : {}),
    ...(hasFailed ? { 'error.type': String(status) } : {}),
  };
  return { kind: SpanKind.CLIENT, attributes, hasFailed };
}
