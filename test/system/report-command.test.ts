/** What `report` does with its options, and where it writes the page. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { addDays, yesterday } from '../../src/model/day.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { headsOf, textOf } from '../support/report-page.ts';

let installation: Installation;
let directory: string;

beforeAll(async () => {
  installation = await install({ users: 5 });
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-report-'));
  await succeeds('backfill --to 2026-03-10');
});

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function succeeds(commandLine: string): Promise<void> {
  const { code, stderr } = await installation.run(commandLine);
  expect(code, stderr).toBe(0);
}

test('a range without data makes a page that says so', async () => {
  const file = join(directory, 'empty.html');
  const { code, stdout } = await installation.run(
    `report --from 2026-04-01 --to 2026-04-30 --out ${file} --json`,
  );
  expect({ code, json: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    json: { from: '2026-04-01', to: '2026-04-30', organizations: [{ organization, has_data: false }] },
  });
  const empty = await readFile(file, 'utf8');
  expect(textOf(empty)).toContain('No data for these days. Loaded: 14 Jan – 10 Mar 2026.');
  expect(headsOf(empty)).toEqual({});
});

test('a warehouse without an organization makes one, too', async () => {
  await using other = await install();
  const file = join(directory, 'nothing.html');
  const { code, stderr } = await other.run(`report --out ${file}`);
  expect(code, stderr).toBe(0);
  expect(textOf(await readFile(file, 'utf8'))).toContain('No data: the warehouse holds no organization yet.');
});

test.each([
  ['--from 2026-03-02 --to 2026-03-01', '--from: 2026-03-02 is after --to 2026-03-01'],
  ['--from 2026-02-30', '--from: expected a day as YYYY-MM-DD'],
  ['--from 2025-12-31', '--from: the platform has no data before 2026-01-14'],
  ['--to 2999-01-01', '--to: the last possible day is yesterday in UTC'],
  ['--to soon', '--to: expected a day as YYYY-MM-DD'],
])('report %s ends with 2 and writes no file', async (options, sentence) => {
  const file = join(directory, 'never.html');
  const { code, stderr } = await installation.run(`report ${options} --out ${file}`);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
  expect(existsSync(file)).toBe(false);
});

test('a place that cannot be written to is named', async () => {
  const { code, stderr } = await installation.run(`report --out ${join(directory, 'none', 'page.html')}`);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--out: .*ENOENT/) });
});

test('a pipe that nobody reads is named, not waited for; one that is read gets the whole page', async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { code, stderr } = await installation.run(`report --out ${pipe}`);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--out: .*ENXIO/) });
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [read] = await Promise.all([
    text(reader.stdout),
    // Opened for reading and writing, a pipe waits for nobody: its reader is there.
    open(pipe, 'r+').then(async (held) => {
      await succeeds(`report --from 2026-02-16 --to 2026-03-10 --out ${pipe}`);
      await held.close();
    }),
  ]);
  expect(read.endsWith('</html>\n')).toBe(true);
});

test('without options it is about the last days, in report.html of the folder where it is asked for', async () => {
  const { code, stdout } = await installation.runIn(directory, 'report --json');
  const to = yesterday(Date.now);
  const shape = z.object({ from: z.string(), to: z.string(), out: z.string(), with_people: z.boolean() });
  expect({ code, json: shape.parse(JSON.parse(stdout)) }).toEqual({
    code: 0,
    json: { from: addDays(to, -90), to, out: 'report.html', with_people: false },
  });
  expect(existsSync(join(directory, 'report.html'))).toBe(true);
});
