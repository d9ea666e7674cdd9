/** Finds wrong settings, and returns the rest for the other checks. */
import { type Config, parseConfig } from '../../model/config.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { type Finding, good, wrongAsSaid } from '../../model/finding.ts';
import {
  chosenOrganizations,
  type OrganizationChoice,
} from '../../model/organizations/chosen-organizations.ts';
import type { ReadSecretFile } from '../../model/secret-variable.ts';
import { counted } from '../../reporting/number-text.ts';
import { sources } from '../../sources/registry.ts';

/** The checked settings. */
export interface CheckedSettings {
  /** Wrong settings are replaced by their defaults. */
  readonly config: Config;
  /** The problems of the settings. */
  readonly findings: readonly Finding[];
  /** Variables that are wrong or missing. */
  readonly wrong: ReadonlySet<string>;
}

/** The settings, with the file of organizations and the names after `--organization`. */
export interface SettingsToCheck {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readSecretFile: ReadSecretFile;
  /** The variables that `.env` set. */
  readonly ofFile: ReadonlySet<string>;
  readonly choice: OrganizationChoice;
}

/** Reads the settings as a run would; a wrong setting becomes a finding, not an error. */
export async function checkSettings(settings: SettingsToCheck): Promise<CheckedSettings> {
  const checked = checkVariables(settings);
  const { environment, choice, ofFile } = settings;
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const file = given.ORGANIZATIONS_FILE;
  const problems: string[] = [];
  if (file === undefined) {
    chosenOrganizations(undefined, choice, problems);
    return { ...checked, findings: [...checked.findings, ...problems.map(asFinding)] };
  }
  const { readOrganizationsFile } = await import('../../model/organizations/organizations-file.ts');
  const entries = readOrganizationsFile({ file, given, sources, needsPlatform: true, ofFile }, problems);
  const isWrong = problems.length > 0;
  const organizations = isWrong ? [] : chosenOrganizations(entries, choice, problems);
  const findings = isWrong
    ? problems.map(asFinding)
    : [
        good('ORGANIZATIONS_FILE', `names ${counted(entries.length, 'organization')}`),
        ...problems.map(asFinding),
      ];
  return {
    config: { ...checked.config, organizations },
    findings: [...checked.findings, ...findings],
    wrong: checked.wrong,
  };
}

function asFinding(problem: string): Finding {
  const name = problem.startsWith('--organization: ') ? '--organization' : undefined;
  const sentence = name === undefined ? problem : problem.slice('--organization: '.length);
  return wrongAsSaid(sentence, 'correct the file, or set the variable as docs/settings.md describes', name);
}

function checkVariables({ environment, readSecretFile, ofFile }: SettingsToCheck): CheckedSettings {
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
