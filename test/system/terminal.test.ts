/** What a person sees in a terminal of 80 columns, and what a pipe gets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';
import { programFile } from '../support/program.ts';
import { ctrlC, hasTerminal, linesShown, startInTerminal } from '../support/terminal.ts';

const program = [process.execPath, programFile];
const sequence = '\u001b[';

describe.skipIf(!hasTerminal())('in a terminal of 80 columns', () => {
  let installation: Installation;
  let isSlow = false;

  beforeAll(async () => {
    installation = await install({
      fault: () => (isSlow ? { kind: 'delay', ms: 200 } : undefined),
    });
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  const start = (commandLine: string, environment: Record<string, string> = {}, columns = 80) =>
    startInTerminal([...program, ...commandLine.split(' ')], {
      environment: { ...installation.environment, ...environment },
      columns,
    });
  const widest = (output: string) => Math.max(...linesShown(output).map(({ length }) => length));

  test('a backfill shows the plan, the time it takes and a line that moves, none of it cut', async () => {
    isSlow = true;
    const { code, output } = await start('backfill --from 2026-01-14 --to 2026-02-28').ended;
    isSlow = false;
    expect(code, output).toBe(0);
    const [plan = ''] = linesShown(output).filter((line) => line.includes('planned: '));
    expect(plan).toMatch(
      /planned: 231 slices in at least \d+ requests; pages of users are not known yet; it may be interrupted/,
    );
    expect(plan).toContain('it may be interrupted at any time: what is loaded stays');
    const moving = linesShown(output).filter((line) => line.includes('%'));
    expect(moving.length).toBeGreaterThan(1);
    for (const line of moving) {
      expect(line.trimEnd().length).toBeLessThan(80);
      expect(line).toMatch(/% · \d+\/231 slices · (time left …|.+ left)/);
    }
    expect(output).toContain('Run 1 succeeded');
    expect(output).toMatch(/Next: `npm run -s etl -- status`/);
    // The cursor was hidden, and is there again.
    expect(output.lastIndexOf(`${sequence}?25h`)).toBeGreaterThan(output.lastIndexOf(`${sequence}?25l`));
  });

  test.each([80, 50])('the tables of status, verify and the plan fit %i columns', async (columns) => {
    for (const commandLine of ['status', 'backfill --dry-run --force', 'verify --to 2026-02-28']) {
      const { code, output } = await start(commandLine, { LOG_LEVEL: 'error' }, columns).ended;
      expect(code, output).toBe(0);
      const table = linesShown(output).filter((line) => /\S {2,}\S/.test(line));
      expect(table.length).toBeGreaterThan(3);
      expect(widest(table.join('\n'))).toBeLessThanOrEqual(columns);
    }
  });

  test.each([{ TERM: 'dumb' }, { CI: 'true' }])(
    'with %o nothing moves and nothing is coloured',
    async (environment) => {
      const { code, output } = await start('backfill --force --to 2026-01-14', environment).ended;
      expect(code, output).toBe(0);
      expect(output).toContain('planned: 6 slices');
      expect(output).not.toContain('\u001b');
      expect(output).not.toContain('%');
    },
  );

  test('NO_COLOR takes the colours away, and nothing else', async () => {
    const coloured = /\u001b\[3\d/;
    const backfill = 'backfill --force --to 2026-01-14';
    expect((await start(backfill).ended).output).toMatch(coloured);
    const { output } = await start(backfill, { NO_COLOR: '1' }).ended;
    expect(output).not.toMatch(coloured);
    expect(output).toContain('%');
  });

  test('verify shows its plan and a line that moves', async () => {
    isSlow = true;
    const { code, output } = await start('verify --to 2026-02-28').ended;
    isSlow = false;
    expect(code, output).toBe(0);
    expect(output).toMatch(/planned: \d+ slices to compare with the platform in at least \d+ requests/);
    const moving = linesShown(output).filter((line) => line.includes('%'));
    expect(moving.length).toBeGreaterThan(1);
    for (const line of moving) expect(line).toMatch(/% · \d+\/\d+ steps · (time left …|.+ left)/);
  });

  test('verify --json prints one object on standard output and its plan on standard error', async () => {
    const { code, stdout, stderr } = await installation.run('verify --to 2026-01-20 --json');
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout))).toContain('checks');
    expect(stderr).toMatch(/planned: \d+ slices to compare with the platform/);
  });

  test.each([80, 200])(
    'Ctrl-C at %i columns ends a backfill and leaves nothing of its bar',
    async (columns) => {
      isSlow = true;
      const backfill = start('backfill --force --to 2026-04-30', { MAX_CONCURRENCY: '1' }, columns);
      await backfill.says('%');
      backfill.type(ctrlC);
      const { code, output } = await backfill.ended;
      isSlow = false;
      expect(code).toBe(1);
      // The line is cleared before the sentence, and nothing is drawn after it.
      const [shown = '', after = ''] = output.split('Interrupted; Ctrl-C again ends at once');
      expect(shown.slice(shown.lastIndexOf('%'))).toContain(`\r${sequence}K`);
      expect(after).not.toContain('%');
      expect(output).toContain('Interrupted: loaded slices stay, and the same command continues.');
    },
  );
});

test('in a pipe there is no width, no colour and no bar, and the same failure is told once', async () => {
  await using installation = await install({
    fault: ({ path }) => (path.endsWith('/tools') ? { kind: 'status', status: 500 } : undefined),
  });
  const { code, stdout, stderr } = await installation.run('backfill --to 2026-02-02');
  expect(code).toBe(1);
  expect(stdout + stderr).not.toContain('\u001b');
  const failures = stdout.split('\n').filter((line) => line.includes('500'));
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/^ {2}tools: 20 slices, 2026-01-14 to 2026-02-02: /);
  const logged = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 'error');
  expect(logged).toEqual([
    expect.objectContaining({ msg: 'slice failed', endpoint: 'tools' }),
    expect.objectContaining({ slices: 20, from: '2026-01-14', to: '2026-02-02' }),
  ]);
});
