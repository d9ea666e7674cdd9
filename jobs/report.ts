import { addDays, earliestDay, laterOf, yesterday } from '../src/model/day.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { askedOrganizations } from '../src/pipeline/organization/asked-organizations.ts';
import { withWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { withSession } from '../src/warehouse/connection/connection.ts';
import { runJobFile } from './command-line.ts';
import { dayOption, dayRangeOptions, type Job } from './job.ts';
import { writeOutFile } from './out-file.ts';

const usualDays = 90;
const usualFile = 'report.html';

/** Writes a page with the figures of a range of days. */
export const job: Job = {
  name: 'report',
  organizations: 'any',
  description: 'writes one HTML page with the figures of a range of days; it needs no network',
  example: 'report --from 2026-04-01 --to 2026-06-30 --out report.html',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${usualDays} days before the last)`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--out <file>', `output file (default ${usualFile})`)
      .option('--with-people', 'list the people with the most credits, with their e-mails'),
  prepare({ options, clock, problems }) {
    // `dayRangeOptions` below reports problems of --to, so they are ignored here.
    const to = dayOption(options.to, '--to', yesterday(clock), clock, []);
    const from = laterOf(addDays(to, -usualDays), earliestDay);
    const range = dayRangeOptions(options, { from, to }, clock, problems);
    const out = typeof options.out === 'string' ? options.out : usualFile;
    if (out.trim() === '') problems.push('--out: expected the name of a file, got none');
    const withPeople = options.withPeople === true;
    return async (context) => {
      // Drawing needs a library that no other command needs, so load it here.
      const { makeReport, refuseMany } = await import('../src/pipeline/report/make-report.ts');
      refuseMany(context.config.organizations?.length ?? 0);
      const { page, organizations } = await withWarehouse(
        context,
        'reads',
        async ({ warehouse: { pool }, config }) => {
          const asked = await withSession(pool, ({ db }) => askedOrganizations(db, config));
          const ids = asked.flatMap(({ held }) => held?.organizationId ?? []);
          const chosen = config.organizations === undefined ? undefined : ids;
          return makeReport(pool, { ...context, range, withPeople, organizations: chosen });
        },
      );
      await writeOutFile(out, page);
      const json = {
        ...range,
        out,
        bytes: Buffer.byteLength(page),
        with_people: withPeople,
        organizations,
      };
      return { json, text: inWords(sanitizeTexts(json, context.redact)) };
    };
  },
};

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
