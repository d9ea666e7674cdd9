/** Opens a client for the platform of the settings, and closes it after the work. */
import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from '../../extract/platform-client.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { userAgent } from '../../model/version.ts';
import type { JobSurroundings } from './job-surroundings.ts';

/** Options of a client that the settings do not have, or that differ from them. */
export type OwnClientOptions = Partial<
  Pick<PlatformClientOptions, 'counts' | 'maxRetries' | 'onEvent' | 'persons' | 'signal' | 'withholdsEmails'>
>;

/** Where ORGANIZATIONS_FILE has the address of an organization. */
const placeInFile = { baseUrlVariable: 'api_base_url' };

/**
 * Does `work` with a client, and closes its connections. Throws `ConfigurationError` when the platform is not
 * configured.
 */
export async function withPlatform<T>(
  { config, abort, timing }: Pick<JobSurroundings, 'config' | 'abort' | 'timing'>,
  options: OwnClientOptions,
  work: (client: PlatformClient) => Promise<T>,
): Promise<T> {
  if (config.platform === undefined) throw new ConfigurationError(['API_BASE_URL, API_KEY: missing']);
  const client = createPlatformClient({
    ...config,
    ...config.platform,
    ...(config.organization === undefined ? {} : placeInFile),
    userAgent,
    signal: abort.signal,
    timing,
    ...options,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
