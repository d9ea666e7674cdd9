/** Tells what the user can do after the demo. */
import { join } from 'node:path';
import { checkout, inShell } from '../model/installation.ts';

/** What the text at the end of a demo names. */
export interface DemoEnd {
  /** The URL of the demo's database, with its password; undefined if the demo does not stay up. */
  readonly url: string | undefined;
  /** The folder with a select for each question. */
  readonly questions: string;
}

/** The next steps in several lines: connect, ask, load real data, end the demo. */
export function nextAfterDemo({ url, questions }: DemoEnd): string {
  const where = checkout === undefined ? '' : ' (docs/questions.md has their answers)';
  const steps = [
    ['doctor', 'checks settings, platform and database'],
    ['migrate', 'makes the tables in the database of DATABASE_URL'],
    ['backfill', 'loads every day so far'],
    ['schedule', 'stays up and loads every night; or cron with nightly'],
  ] as const;
  const commands = steps.map(([command, does]) => `  ${inShell(command).padEnd(30)}  ${does}`);
  return [
    ...(url === undefined
      ? [`\`${inShell('demo')}\` stays up, so that psql and BI tools can connect.`]
      : ['Connect with psql or a BI tool:', `  ${url}`]),
    `Each question has its select in a file${where}; in psql:`,
    `  \\i ${join(questions, '09_credits_by_model.sql')}`,
    'Then load your own data: set API_BASE_URL, API_KEY and DATABASE_URL, and run',
    ...commands,
    ...(url === undefined ? [] : ['Ctrl-C ends the demo.']),
  ].join('\n');
}
