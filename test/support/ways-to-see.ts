/** Runs a command in the ways in which its output is seen: terminals of 80 and 200 columns, a pipe, and `--json`. */
import { programFile, startProgram } from './program.ts';
import { hasTerminal, linesShown, startInTerminal } from './terminal.ts';

/** How a command ended, and its output in one of these ways. */
export interface Seen {
  readonly way: '80 columns' | '200 columns' | 'pipe' | '--json';
  readonly code: number | null;
  /** Standard output and standard error, without control sequences; a terminal mixes them. */
  readonly text: string;
  /** The object that `--json` printed. */
  readonly json?: Readonly<Record<string, unknown>>;
}

const hasTerminals = hasTerminal();

/** Runs a command once in each way, one after the other; `before` is called before each run. */
export async function seenInEachWay(
  commandLine: string,
  environment: Readonly<Record<string, string>>,
  before: () => Promise<unknown> = async () => undefined,
): Promise<Seen[]> {
  const words = commandLine.split(' ');
  const seen: Seen[] = [];
  for (const columns of hasTerminals ? ([80, 200] as const) : []) {
    await before();
    const command = [process.execPath, programFile, ...words];
    const { code, output } = await startInTerminal(command, { environment, columns }).ended;
    seen.push({ way: `${columns} columns`, code, text: linesShown(output).join('\n') });
  }
  await before();
  const piped = await startProgram(programFile, words, environment).ended;
  seen.push({ way: 'pipe', code: piped.code, text: piped.stderr + piped.stdout });
  await before();
  const { code, stdout, stderr } = await startProgram(programFile, [...words, '--json'], environment).ended;
  seen.push({ way: '--json', code, text: stderr + stdout, json: JSON.parse(stdout) });
  return seen;
}
