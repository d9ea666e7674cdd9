/** Completion in the shells themselves. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programFile, startProgram } from '../support/program.ts';
import { hasTerminal, type InTerminal, startInTerminal } from '../support/terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-completion-'));
  for (const shell of shells) {
    // Settings that are wrong must not keep a shell from its start.
    const run = startProgram(programFile, ['completion', shell], { PAGE_SIZE: 'wrong' });
    const { code, stdout, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    await writeFile(join(folder, shell), stdout);
  }
});

afterAll(() => rm(folder, { recursive: true }));

function isThere(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'exit 0']);
    return true;
  } catch {
    console.warn(`!!! NOT TESTED: no ${shell} here; Debian has it as a package of that name`);
    return false;
  }
}

test('a shell that is none is refused with those there are', async () => {
  const { code, stderr } = await startProgram(programFile, ['completion', 'powershell'], {}).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/'powershell' is invalid.*bash, zsh, fish/);
  expect((await startProgram(programFile, ['completion'], {}).ended).code).toBe(2);
});

/** Command lines as far as they are typed, and what the shell then offers. */
const offers: readonly [string, readonly string[]][] = [
  ['usage-etl s', ['status', 'schedule', 'sessions', 'simulate']],
  ['usage-etl backfill --f', ['--from', '--force']],
];
/** Where there is but one way to go on, the tab key takes it: what the program then gets. */
const completions: readonly [string, string][] = [
  ['nig', 'nightly'],
  ['back', 'backfill'],
  ['backfill --dr', 'backfill --dry-run'],
  ['--json status --ch', '--json status --check'],
  ['completion fi', 'completion fish'],
];

describe.skipIf(!hasTerminal())('a person at a shell', () => {
  test.skipIf(!isThere('bash'))('bash completes commands and options', async () => {
    const bash = startInTerminal(['bash', '--norc', '--noprofile', '-i'], {
      columns: 200,
      environment: { PS1: '> ' },
    });
    bash.type(
      `bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'; . ${folder}/bash; echo ready-$?\n`,
    );
    await bash.says('ready-0');
    await expectCompleted(bash);
  });

  test.skipIf(!isThere('zsh'))('zsh completes commands and options', async () => {
    const zsh = startInTerminal(['zsh', '-f', '-i'], { columns: 200, environment: { PS1: '> ' } });
    zsh.type(`autoload -U compinit; compinit -D -u; unsetopt beep; . ${folder}/zsh; echo ready-$?\n`);
    await zsh.says('ready-0');
    await expectCompleted(zsh);
  });

  /** Types as a person does. In the place of the program stands a function that tells what it gets. */
  async function expectCompleted(shell: InTerminal) {
    shell.type(`usage-etl() { echo "<$*>"; }\n`);
    for (const [line, words] of offers) {
      shell.type(`${line}\t\t`);
      for (const word of words) await shell.says(word);
      // Away with the line.
      shell.type('\u0015\n');
    }
    for (const [line, whole] of completions) {
      shell.type(`usage-etl ${line}\t\n`);
      await shell.says(`<${whole}>`);
    }
    shell.type('exit\n');
    await shell.ended;
  }
});

test.skipIf(!isThere('fish'))('fish completes commands and options', () => {
  const all = [
    ...offers,
    ...completions.map(([line, whole]) => [`usage-etl ${line}`, whole.split(' ').slice(-1)]),
  ];
  for (const [line, words] of all) {
    const commands = `source ${folder}/fish; complete -C '${line}'`;
    const answer = execFileSync('fish', ['--no-config', '-c', commands], { encoding: 'utf8' });
    const offered = answer
      .trimEnd()
      .split('\n')
      .map((each) => each.split('\t')[0]);
    expect(offered.sort()).toEqual([...(words ?? [])].sort());
  }
});
