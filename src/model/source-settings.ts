/** Settings of sources: which of them must work, and on which paths. */

/** Variables that replace the path of a source: on some installations it differs from the documented path. */
export type PathVariable = 'READINESS_PATH';

/** What settings must know of a source. */
export interface SourceSettings {
  readonly name: string;
  /** The host of the source: `app` is `APP_BASE_URL`; default `API_BASE_URL`. */
  readonly host?: 'app';
}

/** The names in a comma-separated list. */
export function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** What is wrong with a variable, in a sentence without its name. */
export interface VariableProblem {
  readonly variable: string;
  readonly message: string;
}

/**
 * Problems of required sources: names in `SOURCES` that are not in `sources`, and sources of `SOURCES` or `named` whose
 * host is not set.
 */
export function problemsOfSources(
  given: Readonly<Record<string, string | undefined>>,
  sources: readonly SourceSettings[],
  named: readonly string[],
  needsPlatform: boolean,
): VariableProblem[] {
  const wanted = namesIn(given.SOURCES ?? '');
  const known = sources.map(({ name }) => name);
  const problems: VariableProblem[] = [];
  if (known.length > 0 && wanted.some((name) => !known.includes(name)))
    problems.push({
      variable: 'SOURCES',
      message: `expected some of ${known.join(', ')}, got ${JSON.stringify(given.SOURCES)}`,
    });
  if (!needsPlatform || given.APP_BASE_URL !== undefined) return problems;
  for (const { name, host } of sources)
    if (host === 'app' && (wanted.includes(name) || named.includes(name)))
      problems.push({
        variable: 'APP_BASE_URL',
        message: `missing; set it, because ${name} is required and read from there`,
      });
  return problems;
}
