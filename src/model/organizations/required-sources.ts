/** Sources that the command line names must work for each chosen organization of ORGANIZATIONS_FILE. */
import { problemsOfSources, type SourceSettings } from '../source-settings.ts';
import type { OrganizationEntry } from './organization-entry.ts';

/**
 * The entry with the sources that it must read. Adds a sentence to `problems` for each source whose host the entry does
 * not have.
 */
export function requireSources(
  entry: OrganizationEntry,
  {
    sources,
    named,
    needsPlatform,
  }: {
    readonly sources: readonly SourceSettings[];
    readonly named: readonly string[];
    readonly needsPlatform: boolean;
  },
  problems: string[],
): OrganizationEntry {
  const { name, settings } = entry;
  const given = { APP_BASE_URL: settings.appUrl?.href };
  for (const { variable, message } of problemsOfSources(given, sources, named, needsPlatform))
    problems.push(`ORGANIZATIONS_FILE: ${name}: ${variable.toLowerCase()}: ${message}`);
  return { ...entry, settings: { ...settings, requiredSources: [...settings.requiredSources, ...named] } };
}
