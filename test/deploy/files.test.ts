import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { at, isInstalled, runTool } from '../support/deploy-tools.ts';

const workflow = '.github/workflows/checks.yml';

/** A file beside the real one, with one thing changed. */
function changed(file: string, from: string, to: string): string {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  const copy = join(mkdtempSync(join(tmpdir(), 'usage-etl-deploy-')), 'checks.yml');
  writeFileSync(copy, text.replace(from, to));
  return copy;
}

test('the workflow calls what decides here, too, and may only read', () => {
  const parsed: unknown = parse(readFileSync(workflow, 'utf8'));
  expect(at(parsed, 'permissions')).toEqual({ contents: 'read' });
  expect(JSON.stringify(at(parsed, 'jobs', 'checks', 'steps'))).toContain('"run":".ci/run"');
  expect(existsSync('.ci/run')).toBe(true);
});

test.skipIf(!isInstalled('actionlint'))('actionlint finds nothing wrong in the workflow, and would', () => {
  expect(runTool('actionlint', workflow)).toEqual({ code: 0, said: '' });
  expect(runTool('actionlint', changed(workflow, 'runs-on', 'run-on')).code).toBe(1);
});

const schemas = [
  ['the workflow', 'vendor.github-workflows', workflow, 'runs-on', 'run-on'],
  ['the compose file', 'vendor.compose-spec', 'docker-compose.yml', 'healthcheck', 'healtcheck'],
] as const;

test.skipIf(!isInstalled('check-jsonschema')).each(schemas)(
  '%s is as its schema says, and a wrong key is found',
  (_, schema, file, from, to) => {
    const { code, said } = runTool('check-jsonschema', '--builtin-schema', schema, file);
    expect(code, said).toBe(0);
    expect(runTool('check-jsonschema', '--builtin-schema', schema, changed(file, from, to)).code).toBe(1);
  },
);

test.skipIf(!isInstalled('hadolint') || !existsSync('Dockerfile'))(
  'hadolint finds nothing wrong in the Dockerfile',
  () => {
    expect(runTool('hadolint', 'Dockerfile')).toEqual({ code: 0, said: '' });
  },
);
