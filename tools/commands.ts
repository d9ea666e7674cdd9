/** Makes the table of commands in README.md, and docs/commands.md, from the help of the program. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { withTable } from './document-table.ts';
import type { Product } from './product.ts';

const readme = 'README.md';
const document = 'docs/commands.md';
/** For some commands, the section of another document that tells more. */
const sections: Readonly<Record<string, string>> = {
  nightly: '[every night](operations.md#every-night-and-in-which-time-zone)',
  backfill: '[the first backfill](operations.md#the-first-backfill)',
  status: '[monitoring](monitoring.md)',
  schedule: '[who is told](operations.md#who-is-told)',
  enqueue: '[many machines](scale-out.md)',
  worker: '[many machines](scale-out.md)',
  limits: '[credit limits](operations.md#credit-limits)',
  sessions: '[sessions](operations.md#sessions)',
  'forget-user': '[forgetting a person](operations.md#forgetting-a-person)',
  maintenance: '[what is deleted, when](operations.md#what-is-deleted-when)',
  completion: '[shell completion](operations.md#shell-completion)',
};
/** Options that every command has. */
const shared = ['--json', '--help'];
const width = 100;

export const commands: Product = {
  name: 'commands',
  async files() {
    const program = await loadProgram();
    const text = await readFile(new URL(`../${readme}`, import.meta.url), 'utf8');
    return new Map([
      [readme, withTable(text, 'npm run commands', tableOf(program))],
      [document, documentOf(program)],
    ]);
  },
};

/** The program with all commands, in the order of its help. It is loaded only for this product. */
async function loadProgram(): Promise<Command> {
  const [{ programOf }, { jobs }, completion] = await Promise.all([
    import('../jobs/command-line.ts'),
    import('../jobs/all-jobs.ts'),
    import('../jobs/completion.ts'),
  ]);
  const loaded = await Promise.all(Object.values(jobs).map((load) => load()));
  return programOf(
    [...loaded, completion].map(({ job }) => job),
    '',
  );
}

function tableOf(program: Command): string {
  const rows = program.commands.map((command) => {
    const [first, ...more] = command.commands.map((each) => each.name());
    const names = [[command.name(), first].filter((name) => name !== undefined).join(' '), ...more];
    const link = `docs/commands.md#${command.name()}`;
    return `| [${names.map((name) => `\`${name}\``).join(', ')}](${link}) | ${command.summary()} |`;
  });
  return ['| command | does |', '|---|---|', ...rows].join('\n');
}

function documentOf(program: Command): string {
  const parts = program.commands.flatMap((command) => [
    partOf(command, command.name()),
    ...command.commands.map((each) => partOf(each, `${command.name()} ${each.name()}`)),
  ]);
  return `${[
    '# Commands',
    'Generated from `--help` by `npm run commands`: do not edit. Each command also takes `--help`, and `--json`, which prints [one JSON object](json.md). With an installed package, `usage-etl` stands for all before the name of the command. [Exit codes](../README.md#commands) are the same for all.',
    ...parts,
  ].join('\n\n')}\n`;
}

function partOf(command: Command, name: string): string {
  const more = sections[name];
  const part = [`## ${name}`, `\`\`\`text\n${helpOf(command)}\n\`\`\``];
  return [...part, ...(more === undefined ? [] : [`More: ${more}.`])].join('\n\n');
}

/** The help of a command, as wide as a page, without the options that every command has. */
function helpOf(command: Command): string {
  let help = '';
  command
    .configureOutput({
      writeOut: (text) => {
        help += text;
      },
    })
    .configureHelp({
      helpWidth: width,
      visibleOptions: ({ options }) => options.filter(({ long }) => !shared.includes(long ?? '')),
    })
    .outputHelp();
  return help.trim();
}
