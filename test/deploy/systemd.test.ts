import { chmodSync, copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isInstalled, runTool } from '../support/deploy-tools.ts';

const service = readFileSync('deploy/systemd/usage-etl.service', 'utf8');
const canAnalyze = isInstalled('systemd-analyze');

/** The files, with a program at the place that they name. */
function installed(text: string): { service: string; timer: string } {
  const folder = mkdtempSync(join(tmpdir(), 'usage-etl-systemd-'));
  const program = join(folder, 'usage-etl');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const files = { service: join(folder, 'usage-etl.service'), timer: join(folder, 'usage-etl.timer') };
  writeFileSync(files.service, text.replace('/usr/local/bin/usage-etl', program));
  copyFileSync('deploy/systemd/usage-etl.timer', files.timer);
  return files;
}

test('systemd tries again what may work later, and takes a run of somebody else for a success', () => {
  expect(service).toMatch(/^SuccessExitStatus=4$/m);
  expect(service).toMatch(/^Restart=on-failure$/m);
  expect(service).toMatch(/^RestartPreventExitStatus=2 3$/m);
});

test('the documents have the path of the unit, and say how to find another one', () => {
  const [line = 'none'] = /^ExecStart=.*$/m.exec(service) ?? [];
  const [path = 'none'] = /(?<==)\S+/.exec(line) ?? [];
  const operations = readFileSync('docs/operations.md', 'utf8');
  expect(operations).toContain(`\n${line}\n`);
  const recipe = readFileSync('deploy/systemd/README.md', 'utf8');
  expect(recipe).toContain(`\`${path}\``);
  for (const text of [service, operations, recipe]) expect(text).toContain('`command -v usage-etl`');
});

test('secrets come as credentials, never as variables', () => {
  expect(service).toMatch(/^DynamicUser=yes$/m);
  const loaded = [...service.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name);
  const named = [...service.matchAll(/(\w+)_FILE=%d\/([\w-]+)/g)].map(([, , name]) => name);
  expect(named).toEqual(loaded);
  expect(service + readFileSync('deploy/systemd/settings', 'utf8')).not.toMatch(
    /^(Environment=)?(API_KEY|DATABASE_URL)=/m,
  );
});

/** What is said of our files: other packages' units, which a machine may have as well, are looked at with them. */
function saidOfOurs(said: string): string {
  return said
    .split('\n')
    .filter((line) => /usage-etl\.(service|timer)/.test(line))
    .join('\n');
}

test.skipIf(!canAnalyze)('systemd-analyze finds nothing wrong, and would', () => {
  const good = installed(service.replace('Wants=', 'Wants=old-fashioned.service '));
  const old = '[Service]\nType=oneshot\nExecStart=/bin/true\nKillMode=none\n';
  writeFileSync(join(dirname(good.service), 'old-fashioned.service'), old);
  const { code, said } = runTool('systemd-analyze', 'verify', good.service, good.timer);
  expect({ code, said: saidOfOurs(said) }).toEqual({ code: 0, said: '' });
  const wrong = installed(service.replace('RestartSec=30min', 'RestartSec=30 moons'));
  expect(saidOfOurs(runTool('systemd-analyze', 'verify', wrong.service).said)).toContain('30 moons');
});

test.skipIf(!canAnalyze)('systemd-analyze calls its exposure OK: at most 1.5 of 10', () => {
  const { code, said } = runTool(
    'systemd-analyze',
    'security',
    '--offline=true',
    '--threshold=15',
    '--no-pager',
    installed(service).service,
  );
  expect(code, said).toBe(0);
});

test.skipIf(!canAnalyze)('the timer means 02:15 UTC in every zone', () => {
  const calendar =
    /^OnCalendar=(.*)$/m.exec(readFileSync('deploy/systemd/usage-etl.timer', 'utf8'))?.[1] ?? '';
  const { code, said } = runTool('env', 'TZ=America/New_York', 'systemd-analyze', 'calendar', calendar);
  expect(code, said).toBe(0);
  expect(said).toMatch(/02:15:00 UTC/);
});
