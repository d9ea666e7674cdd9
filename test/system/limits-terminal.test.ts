/** What `limits apply` asks a person at a terminal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installLimits, type LimitsInstallation } from '../support/limits.ts';
import { programFile } from '../support/program.ts';
import { ctrlC, hasTerminal, linesShown, startInTerminal } from '../support/terminal.ts';

const program = [process.execPath, programFile];
const ada = 'ada@example.com';

describe.skipIf(!hasTerminal())('limits apply at a terminal', () => {
  let installation: LimitsInstallation;
  let file: string;

  beforeAll(async () => {
    installation = await installLimits();
    file = await installation.fileOf([`${ada},2000000`, 'nobody@example.com,none']);
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  const start = (...more: string[]) =>
    startInTerminal([...program, 'limits', 'apply', file, ...more], {
      environment: { ...installation.environment, LOG_LEVEL: 'error' },
    });
  const question = 'Send 2 changes? [y/N] ';

  test.each([
    ['n\n', 'not confirmed: nothing was sent'],
    ['\n', 'not confirmed: nothing was sent'],
    ['yesterday\n', 'not confirmed: nothing was sent'],
    // The end of what can be typed.
    ['\u0004', 'not confirmed: nothing was sent'],
    [ctrlC, 'interrupted by SIGINT'],
  ])('nothing is sent after %j', async (keys, sentence) => {
    const run = start();
    await run.says(question);
    run.type(keys);
    const { code, output } = await run.ended;
    expect(code).toBe(1);
    expect(output).toContain(sentence);
    expect(installation.asked()).toEqual([]);
    expect(await installation.audit()).toEqual([]);
  });

  test('the plan is shown, and sent after a yes', async () => {
    const run = start();
    await run.says(question);
    expect(installation.asked()).toEqual([]);
    run.type('Y\n');
    const { code, output } = await run.ended;
    expect(code).toBe(1);
    const lines = linesShown(output);
    expect(lines).toContainEqual(expect.stringMatching(/^ada@example\.com +not known → 2,000,000$/));
    expect(lines).toContainEqual(expect.stringMatching(/^nobody@example\.com +not known → none$/));
    expect(lines).toContainEqual(expect.stringMatching(/limits +1 set as asked, 1 not/));
    expect(installation.limits.limitOf(ada)).toBe(2_000_000);
  });

  test('with --yes nobody is asked', async () => {
    const { code, output } = await start('--yes').ended;
    expect(code).toBe(1);
    expect(output).not.toContain('[y/N]');
  });

  test('a plan without changes is no question', async () => {
    const done = await installation.fileOf([`${ada},2000000`]);
    const { code, output } = await startInTerminal([...program, 'limits', 'apply', done], {
      environment: { ...installation.environment, LOG_LEVEL: 'error' },
    }).ended;
    expect(code, output).toBe(0);
    expect(output).not.toContain('[y/N]');
  });
});
