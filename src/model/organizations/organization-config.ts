/** The settings of a run for one organization of ORGANIZATIONS_FILE. */
import type { Config } from '../config.ts';
import type { OrganizationEntry } from './organization-entry.ts';

/** Where people put the key of an organization, for messages. */
export const keyPlaceInFile = 'its api_key_file or api_key_env';

/**
 * The settings of the process with those of one organization in their place. `apiKey` comes from `readKey`; undefined
 * is for work that does not ask the platform.
 */
export function configOf(
  { name, orgId, baseUrl, settings }: OrganizationEntry,
  config: Config,
  apiKey: string | undefined,
): Config {
  return {
    ...config,
    ...settings,
    platform: apiKey === undefined ? undefined : { baseUrl, apiKey, apiKeyPlace: keyPlaceInFile },
    organizations: undefined,
    organization: { name, orgId },
  };
}
