import { constants, open, writeFile } from 'node:fs/promises';
import { addDays, earliestDay, laterOf, yesterday } from '../src/model/day.ts';
import { codeOf } from '../src/model/error-code.ts';
import { ConfigurationError } from '../src/model/errors.ts';
import { throughDoor } from '../src/model/foreign-text.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { runJobFile } from './command-line.ts';
import { dayOption, dayRangeOptions, type Job } from './job.ts';

const usualDays = 90;
const usualFile = 'report.html';

/** Writes one page that shows what the warehouse knows of a range of days. */
export const job: Job = {
  name: 'report',
  description: 'writes one page with the figures of a range of days, which needs no network',
  example: 'report --from 2026-04-01 --to 2026-06-30 --out report.html',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${usualDays} days before the last)`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--out <file>', `where to write it (default ${usualFile})`)
      .option('--with-people', 'name those who used most credits, with their e-mail'),
  prepare({ options, clock, problems }) {
    // What is wrong with it is told below.
    const to = dayOption(options.to, '--to', yesterday(clock), clock, []);
    const from = laterOf(addDays(to, -usualDays), earliestDay);
    const range = dayRangeOptions(options, { from, to }, clock, problems);
    const out = typeof options.out === 'string' ? options.out : usualFile;
    if (out.trim() === '') problems.push('--out: expected the name of a file, got none');
    const withPeople = options.withPeople === true;
    return async (context) => {
      const warehouse = await openConfiguredWarehouse(context, true);
      try {
        // Drawing takes a library that no other command needs.
        const { makeReport } = await import('../src/pipeline/report/make-report.ts');
        const { page, organizations } = await makeReport(warehouse.pool, { ...context, range, withPeople });
        await writeReport(out, page);
        const json = {
          ...range,
          out,
          bytes: Buffer.byteLength(page),
          with_people: withPeople,
          organizations,
        };
        return { json, text: inWords(throughDoor(json, context.redact)) };
      } finally {
        await warehouse.close();
      }
    };
  },
};

/** Writes the page. Throws `ConfigurationError` when the file cannot be written. */
async function writeReport(path: string, page: string): Promise<void> {
  try {
    // Fails where nobody reads a pipe; opening it to write would wait for a reader, and no signal would end that.
    const reached = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK);
    try {
      await writeFile(path, page);
    } finally {
      await reached.close();
    }
  } catch (error) {
    throw new ConfigurationError(
      [`--out: ${path} cannot be written (${codeOf(error) ?? 'no reason given'})`],
      { cause: error },
    );
  }
}

function inWords({
  from,
  to,
  out,
  organizations,
}: {
  readonly from: string;
  readonly to: string;
  readonly out: string;
  readonly organizations: readonly { readonly organization: string; readonly has_data: boolean }[];
}): string {
  const without = organizations.filter(({ has_data }) => !has_data).map(({ organization }) => organization);
  return [
    `${out}: usage from ${from} to ${to}. Open it in a browser.`,
    ...(organizations.length === 0 ? ['The warehouse holds no organization yet: the page says so.'] : []),
    ...without.map((organization) => `There is no data of ${organization} in these days: the page says so.`),
  ].join('\n');
}

if (import.meta.main) void runJobFile(job);
