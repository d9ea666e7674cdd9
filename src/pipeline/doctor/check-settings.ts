/** Finds wrong settings, and returns the rest for the other checks. */
import { type Config, parseConfig } from '../../model/config.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { type Finding, wrongAsSaid } from '../../model/finding.ts';
import type { ReadSecretFile } from '../../model/secret-variable.ts';

/** The checked settings. */
export interface CheckedSettings {
  /** Wrong settings are replaced by their defaults. */
  readonly config: Config;
  /** The problems of the settings. */
  readonly findings: readonly Finding[];
  /** Variables that are wrong or missing. */
  readonly wrong: ReadonlySet<string>;
}

/** Reads the settings as a run would; a wrong setting becomes a finding, not an error. */
export function checkSettings(
  environment: Readonly<Record<string, string | undefined>>,
  readSecretFile: ReadSecretFile,
  ofFile: ReadonlySet<string>,
): CheckedSettings {
  try {
    const config = parseConfig(environment, { needsPlatform: true, readSecretFile, ofFile });
    return { config, findings: [], wrong: new Set() };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const findings = error.problems.map((problem) =>
      wrongAsSaid(problem, 'set it as docs/settings.md describes, or remove it'),
    );
    const wrong = new Set(findings.flatMap(({ name }) => name.split(', ')));
    const rest = Object.entries(environment).filter(([name]) => !wrong.has(name));
    const config = parseConfig(Object.fromEntries(rest), { needsPlatform: false, readSecretFile, ofFile });
    return { config, findings, wrong };
  }
}
