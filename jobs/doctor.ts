import { ConfigurationError, explain } from '../src/model/errors.ts';
import { type Finding, wrongAsSaid } from '../src/model/finding.ts';
import { readableKeys } from '../src/model/organizations/organization-key.ts';
import { secretsOf } from '../src/model/redaction.ts';
import { createSanitizer, sanitizeTexts } from '../src/model/sanitize.ts';
import { examine } from '../src/pipeline/doctor/examine.ts';
import { describeFindings } from '../src/reporting/findings-text.ts';
import { runJobFile } from './command-line.ts';
import { choiceOf, exitCode, type Job } from './job.ts';
import { loadOwnSettings, ownVariables, readSettingsFile } from './settings.ts';

/** Checks settings, platform and database before the first night. */
export const job: Job = {
  name: 'doctor',
  organizations: 'any',
  description: 'checks settings, platform, credential, database and disk space before the first night',
  details: ['It says what to do and writes nothing. It exits 2 when something is wrong.'],
  example: 'doctor',
  needsPlatform: false,
  // The job reports wrong settings itself.
  needsSettings: false,
  prepare({ options, clock }) {
    const unreadable = ownSettingsFindings();
    return async ({ abort }) => {
      const found = await examine({
        environment: process.env,
        readSecretFile: readSettingsFile,
        ofFile: ownVariables(),
        choice: choiceOf(job, options),
        clock,
        signal: abort.signal,
      });
      const { config } = found.settings;
      const keys = readableKeys(config.organizations ?? [], process.env);
      const sanitize = createSanitizer([...secretsOf(config, process.env), ...keys]);
      const checks = sanitizeTexts([...unreadable, ...found.findings], sanitize);
      const failed = checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
      const told = { json: { ok: failed.length === 0, checks }, text: describeFindings(checks) };
      if (failed.length === 0) return told;
      return { ...told, exitCode: exitCode.usage, error: `wrong: ${failed.join(', ')}` };
    };
  },
};

/** Reads `.env`, and returns an error of the file as findings. */
function ownSettingsFindings(): Finding[] {
  try {
    loadOwnSettings();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [wrongAsSaid(explain(error), 'make it a readable file, or remove it')];
  }
}

if (import.meta.main) void runJobFile(job);
