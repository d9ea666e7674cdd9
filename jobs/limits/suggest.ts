import { addDays, type DayRange, yesterday } from '../../src/model/day.ts';
import { limitsFileText } from '../../src/model/limits-file.ts';
import { smallestLimit } from '../../src/model/platform/credit-limits.ts';
import { type Suggestion, suggestLimits } from '../../src/pipeline/limits/suggest-limits.ts';
import { withWarehouse } from '../../src/pipeline/runs/with-warehouse.ts';
import { counted, numberText } from '../../src/reporting/number-text.ts';
import { type Job, wholeOption } from '../job.ts';
import { writeOutFile } from '../out-file.ts';
import { tell } from '../tell.ts';

const usualDays = 28;
const mostDays = 3_660;
const usualHeadroom = '1.5';

/** Writes a file for `limits apply`, computed from the used credits. */
export const job: Job = {
  name: 'suggest',
  organizations: 'one',
  description: 'writes a CSV file for limits apply from the used credits',
  example: 'limits suggest --days 28 --headroom 1.5 --out limits.csv',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--days <count>', `days that end with yesterday in UTC (default ${usualDays})`)
      .option('--headroom <factor>', `factor for the used credits (default ${usualHeadroom})`)
      .option('--out <file>', 'output file (default standard output)'),
  prepare({ options, clock, problems }) {
    const days = wholeOption(options.days, '--days', usualDays, [1, mostDays], problems);
    const headroom = typeof options.headroom === 'string' ? options.headroom : usualHeadroom;
    if (!/^\d{1,6}(\.\d{1,6})?$/.test(headroom) || Number(headroom) === 0 || Number(headroom) > 1_000)
      problems.push(`--headroom: expected a number above 0, up to 1000, got ${JSON.stringify(headroom)}`);
    const to = yesterday(clock);
    const range = { from: addDays(to, 1 - days), to };
    const out = typeof options.out === 'string' ? options.out : undefined;
    return async (context) => {
      const suggestion = await withWarehouse(context, 'reads', ({ warehouse, config }) =>
        suggestLimits(warehouse, config, range, headroom),
      );
      const assumed = assumptions(suggestion, range, days, headroom);
      for (const sentence of assumed) tell(sentence, 'info');
      const file = limitsFileText(suggestion.limits);
      if (out !== undefined) await writeOutFile(out, `${file}\n`);
      const { organizationId, daysHeld, limits, withoutUsage, withoutEmail, withFormula, shared } =
        suggestion;
      const json = {
        organization: organizationId,
        ...range,
        days_asked: days,
        days_held: daysHeld,
        headroom: Number(headroom),
        limits,
        users_without_usage: withoutUsage,
        users_without_email: withoutEmail,
        users_with_formula_email: withFormula,
        shared_emails: shared,
        assumptions: assumed,
        out: out ?? null,
      };
      return { json, text: out === undefined ? file : '', namesPersons: true };
    };
  },
};

/** Sentences for the user: how the limits in the file were computed, and which users are not in it. */
function assumptions(
  { daysHeld, limits, withoutUsage, withoutEmail, withFormula, shared }: Suggestion,
  { from, to }: DayRange,
  days: number,
  headroom: string,
): string[] {
  const least = limits.filter(({ limit }) => limit === smallestLimit).length;
  return [
    `${counted(limits.length, 'limit')} from the credits of ${from} to ${to}, times ${headroom}, rounded up; ${numberText(least)} of them the smallest that the platform takes (${numberText(smallestLimit)})`,
    `${numberText(daysHeld)} of ${counted(days, 'day')} are held${daysHeld < days ? '; nothing is made up for those that are missing' : ''}`,
    `${counted(withoutUsage, 'user')} without usage in these days, and ${numberText(withoutEmail)} with usage but without an e-mail, are left out`,
    ...(withFormula === 0
      ? []
      : [
          `${counted(withFormula, 'user')} with usage, but with an e-mail that a spreadsheet would take for a formula, are left out`,
        ]),
    ...(shared === 0
      ? []
      : [`${counted(shared, 'e-mail')} of several users each: what these used is added up`]),
  ];
}
