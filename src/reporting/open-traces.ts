/** Sends spans to an OTLP collector. Loaded only if a collector is configured, so that other starts are faster. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { codeOf } from '../model/error-code.ts';
import type { RunObserver } from '../model/run.ts';
import type { Sanitize } from '../model/sanitize.ts';
import { defaultTiming, type Timing } from '../model/timing.ts';
import { appVersion } from '../model/version.ts';
import type { Log } from './log.ts';
import { traceRuns } from './run-traces.ts';

/** Options of traces. */
export interface TracesOptions {
  /** Address of the collector; `/v1/traces` is added. */
  readonly url: URL;
  readonly serviceName: string;
  readonly sanitize: Sanitize;
  readonly log: Log;
  readonly timing?: Timing | undefined;
}

/** Makes spans of runs, and delivers them. */
export interface Traces {
  readonly observe: RunObserver;
  /** Delivers the remaining spans, for at most `mostMs`. */
  close(mostMs: number): Promise<void>;
}

/** Most spans that wait for a slow collector; more are dropped. Many wait when all spans of a job end at once. */
const mostWaiting = 8_192;
const batchSize = 512;
/** Most links of a span: a load may have so many slices. */
const mostLinks = 10_000;

/** Opens traces without sending anything. A failed delivery is logged once and has no other effect. */
export function openTraces({
  url,
  serviceName,
  sanitize,
  log,
  timing = defaultTiming,
}: TracesOptions): Traces {
  const { tracesDeliveryMs: deliveryMs } = timing;
  const agent =
    url.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const exporter = new OTLPTraceExporter({
    url: `${url.href.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
    timeoutMillis: deliveryMs,
    httpAgentOptions: () => agent,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': sanitize(serviceName), 'service.version': appVersion }),
    ),
    spanLimits: { linkCountLimit: mostLinks },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: telling(exporter, log),
        maxQueueSize: mostWaiting,
        maxExportBatchSize: batchSize,
        exportTimeoutMillis: 2 * deliveryMs,
      }),
    ],
  });
  return {
    observe: traceRuns(provider.getTracer('usage-etl', appVersion), sanitize),
    async close(mostMs) {
      const timeout = new AbortController();
      await Promise.race([
        // A failed delivery has been logged already, so its error is ignored.
        provider.shutdown().catch(() => undefined),
        delay(mostMs, undefined, { signal: timeout.signal }).catch(() => undefined),
      ]);
      timeout.abort();
      agent.destroy();
    },
  };
}

/** An exporter that logs the first of several failures in a row. */
function telling(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, resolve) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isFailing)
          log.warn(
            { reason: reasonOf(result.error) },
            'traces could not be delivered to OTEL_EXPORTER_OTLP_ENDPOINT; the run goes on without them',
          );
        isFailing = hasFailed;
        // A failure is reported as a success: otherwise a flush would stop waiting for other batches, and log it again.
        resolve({ code: 0 });
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** Why a delivery failed, without the text of the collector's answer, which may contain anything. */
function reasonOf(error: Error | undefined): string {
  const code = codeOf(error);
  if (code !== undefined) return code;
  const status =
    error !== undefined && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  return status === undefined ? 'no answer in time' : `it answered ${status}`;
}
