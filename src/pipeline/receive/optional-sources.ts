/** Decides which sources a run can read, and what a failure of an optional source means for the run. */
import type { PlatformClient } from '../../extract/platform-client.ts';
import type { Config } from '../../model/config.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  explain,
  RequestFailedError,
} from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { SourceState } from '../../model/run-report.ts';
import type { Read, Slice, Source } from '../../model/source.ts';
import { sources as registered } from '../../sources/registry.ts';

/** The sources that can be read: a source without a configured host is switched off, unless it is required. */
export function readableSources(
  sources: readonly Source[],
  { appUrl, requiredSources }: Pick<Config, 'appUrl' | 'requiredSources'>,
): readonly Source[] {
  return sources.filter(
    ({ name, host }) => host !== 'app' || appUrl !== undefined || requiredSources.includes(name),
  );
}

/** Returns the client for a source: with the host of the source, and with the path that the settings name. */
export function clientsOf(
  client: PlatformClient,
  { appUrl, paths }: Pick<Config, 'appUrl' | 'paths'>,
): (source: Source) => PlatformClient {
  const app = appUrl && client.at(appUrl, 'APP_BASE_URL');
  return ({ name, host, pathVariable }) => {
    const own = host === 'app' ? app : client;
    if (own === undefined)
      throw new ConfigurationError([`APP_BASE_URL: missing; ${name} is read from there`]);
    const path = pathVariable && paths[pathVariable];
    if (path === undefined) return own;
    return { ...own, get: (_, query, open, requestOptions) => own.get(path, query, open, requestOptions) };
  };
}

/** The states of the optional sources when a run begins: a source that it reads is `failed` until it answers. */
export function firstStates(read: readonly Source[]): Readonly<Record<string, SourceState>> {
  const optional = [...new Set([...registered, ...read])].filter(({ isOptional }) => isOptional === true);
  return Object.fromEntries(
    optional.map((source) => [source.name, read.includes(source) ? 'failed' : 'off']),
  );
}

/** Whether the platform answered 404. */
function isUnknown(error: unknown): boolean {
  return error instanceof RequestFailedError && error.status === 404;
}

/**
 * Judges why a slice could not be read. `unavailable` is the source of the slice if it is optional and the platform does
 * not offer it to this credential. `error` is the error to record; for a refused optional source that is required, it is
 * one that does not stop the run.
 */
function judgeFailure(
  read: readonly Source[],
  { requiredSources }: Pick<Config, 'requiredSources'>,
  { endpoint }: Slice,
  error: unknown,
): { readonly unavailable: Source | undefined; readonly error: unknown } {
  const source = read.find(({ name }) => name === endpoint);
  const isForbidden = error instanceof CredentialsRefusedError && error.status === 403;
  // If people name the slices of a source, one unknown slice says nothing about the source.
  const isNamed = source?.partitioning.isNamed === true;
  const isBeside = isNamed && read.length > 1;
  if (isBeside && isForbidden) return { unavailable: source, error };
  if (source?.isOptional !== true || !(isForbidden || isUnknown(error)))
    return { unavailable: undefined, error };
  if (!requiredSources.includes(endpoint)) return { unavailable: source, error };
  return {
    unavailable: undefined,
    error: isForbidden
      ? new RequestFailedError(error.message, { status: error.status, cause: error.cause })
      : error,
  };
}

/** After so many refused slices the whole source counts as refused. Fewer may belong to other users. */
const mostRefused = 20;

/** Handles slices that could not be read. */
export interface WatchedFailures {
  /** Records that a slice failed, or that its source is unavailable; returns whether the platform had answered. */
  readonly record: (slice: Slice, error: unknown) => Promise<boolean>;
  /** Whether the source of a read is known to be unavailable, so that nothing is asked. If so, reports the slices. */
  readonly skips: (read: Read) => boolean;
  /** Keys of slices that the platform does not know. */
  readonly unknown: readonly string[];
}

/** Judges the failures of a run that reads `sources`. */
export function watchFailures(
  sources: readonly Source[],
  config: Pick<Config, 'requiredSources'>,
  {
    fail,
    onEvent,
    redact,
  }: {
    readonly fail: (slice: Slice, error: unknown) => Promise<boolean>;
    readonly onEvent: OnRunEvent;
    readonly redact: (text: string) => string;
  },
): WatchedFailures {
  const unknown: string[] = [];
  /** The reason for each unavailable source. */
  const unavailable = new Map<Source, string>();
  const refused = new Map<Source, number>();
  return {
    unknown,
    async record(slice, thrown) {
      const { unavailable: source, error } = judgeFailure(sources, config, slice, thrown);
      if (source === undefined) {
        if (isUnknown(error)) unknown.push(slice.key);
        return fail(slice, error);
      }
      const isKnown = unavailable.has(source);
      refused.set(source, (refused.get(source) ?? 0) + 1);
      const reason = redact(explain(error));
      unavailable.set(source, reason);
      onEvent({ type: 'source-unavailable', slice, reason, isKnown });
      return true;
    },
    skips({ source, slices }) {
      const reason = unavailable.get(source);
      if (reason === undefined) return false;
      if (source.partitioning.isNamed === true && (refused.get(source) ?? 0) < mostRefused) return false;
      for (const slice of slices) onEvent({ type: 'source-unavailable', slice, reason, isKnown: true });
      return true;
    },
  };
}
