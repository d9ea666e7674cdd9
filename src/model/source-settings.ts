/** What settings say of sources: which must work, and where some of them lie. */

/** Settings that hold the path of a source which was seen to be renamed on some installations. */
export type PathVariable = 'READINESS_PATH';

/** What settings must know of a source. */
export interface SourceSettings {
  readonly name: string;
  /** The host where it is read, if that is not `API_BASE_URL`: `app` is `APP_BASE_URL`. */
  readonly host?: 'app';
}

/** The names in a list with commas between them; none for an empty text. */
export function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * What is wrong with the sources that must work: those of `SOURCES` that are none of `sources`, and those of `SOURCES` or
 * `named` that lie on a host which the environment does not name.
 */
export function problemsOfSources(
  given: Readonly<Record<string, string | undefined>>,
  sources: readonly SourceSettings[],
  named: readonly string[],
  needsPlatform: boolean,
): string[] {
  const wanted = namesIn(given.SOURCES ?? '');
  const known = sources.map(({ name }) => name);
  const problems: string[] = [];
  if (known.length > 0 && wanted.some((name) => !known.includes(name)))
    problems.push(`SOURCES: expected some of ${known.join(', ')}, got ${JSON.stringify(given.SOURCES)}`);
  if (!needsPlatform || given.APP_BASE_URL !== undefined) return problems;
  for (const { name, host } of sources)
    if (host === 'app' && (wanted.includes(name) || named.includes(name)))
      problems.push(`APP_BASE_URL: missing; ${name} must work, and is read from there`);
  return problems;
}
