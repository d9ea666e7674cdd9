/** Sources that a platform may do without, that lie on another host, or that are switched off. */
import type { PlatformClient } from '../extract/platform-client.ts';
import type { Config } from '../model/config.ts';
import { ConfigurationError, CredentialsRefusedError, RequestFailedError } from '../model/errors.ts';
import type { SourceState } from '../model/run.ts';
import type { Slice, Source } from '../model/source.ts';
import { sources as registered } from '../sources/registry.ts';

/** Those of `sources` that can be read: one whose host nobody named is switched off, unless it must work. */
export function readableSources(
  sources: readonly Source[],
  { appUrl, requiredSources }: Pick<Config, 'appUrl' | 'requiredSources'>,
): readonly Source[] {
  return sources.filter(
    ({ name, host }) => host !== 'app' || appUrl !== undefined || requiredSources.includes(name),
  );
}

/** The client that a source is asked through: at its own host, and at another path where the settings name one. */
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
    return { ...own, get: (_, query, open, patience) => own.get(path, query, open, patience) };
  };
}

/** What is said of the optional sources when a run begins: nothing has come yet from those that it reads. */
export function firstStates(read: readonly Source[]): Readonly<Record<string, SourceState>> {
  const optional = [...new Set([...registered, ...read])].filter(({ isOptional }) => isOptional === true);
  return Object.fromEntries(
    optional.map((source) => [source.name, read.includes(source) ? 'failed' : 'off']),
  );
}

/**
 * What it means that a slice could not be read. `unavailable`: the platform has no such source for this credential, and
 * need not have it. Else the error, which stops no run where only an optional source was refused.
 */
export function judgeFailure(
  read: readonly Source[],
  { requiredSources }: Pick<Config, 'requiredSources'>,
  { endpoint }: Slice,
  error: unknown,
): { readonly unavailable: boolean; readonly error: unknown } {
  const isOptional = read.some(({ name, isOptional: may }) => name === endpoint && may === true);
  const isForbidden = error instanceof CredentialsRefusedError && error.status === 403;
  const isMissing = error instanceof RequestFailedError && error.status === 404;
  if (!isOptional || !(isForbidden || isMissing)) return { unavailable: false, error };
  if (!requiredSources.includes(endpoint)) return { unavailable: true, error };
  return {
    unavailable: false,
    error: isForbidden
      ? new RequestFailedError(error.message, { status: error.status, cause: error.cause })
      : error,
  };
}
