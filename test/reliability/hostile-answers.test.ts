import { expect, test } from 'vitest';
import { install, organization } from '../support/installation.ts';

const day = '2026-01-20';
const mebibyte = 1024 * 1024;
const answerBytes = 16 * mebibyte;
/** What docs/settings.md says of MAX_RESPONSE_BYTES: so much for the program, and so many times the bytes of an answer. */
const [ofProgramMebibytes, timesAnswer] = [150, 8];
const mostResidentMebibytes = ofProgramMebibytes + (timesAnswer * answerBytes) / mebibyte;

/** The flags of `npm run etl`, one of which Node takes from nobody but V8; and at the end, how much memory there ever was. */
const tellPeak = `--max-semi-space-size=8 --import data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  setFlagsFromString('--heap-growing-percent=100');
  process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + ' KiB'));
`)}`;

const filled = (unit: string, bytes = answerBytes) => unit.repeat(Math.floor(bytes / unit.length));
const nested = filled('[', answerBytes / 2) + filled(']', answerBytes / 2);
const wide = `[${filled('[],')}[]]`;
const counted = { date: day, tool_calls: 1 };
/** A record of the day with more of its own. */
const record = (more: string) => `[${JSON.stringify(counted).slice(0, -1)},${more}}]`;
const numbered = (make: (index: number) => string, bytes = answerBytes) => {
  const count = Math.floor(bytes / make(1_000_000).length);
  return Array.from({ length: count }, (_, index) => make(index)).join(',');
};

const answers: readonly (readonly [string, () => string, string])[] = [
  ['an unknown field with millions of levels', () => record(`"x":${nested}`), 'loaded'],
  ['an unknown field with millions of parts', () => record(`"x":${wide}`), 'loaded'],
  ['millions of unknown fields', () => record(numbered((index) => `"x${index}":{}`)), 'failed'],
  ['a figure with millions of parts', () => `[{"date":"${day}","tool_calls":${wide}}]`, 'failed'],
  ['a breakdown with millions of levels', () => record(`"by_tool":${nested}`), 'loaded'],
  ['a breakdown of millions of parts', () => record(`"by_tool":${wide}`), 'failed'],
  ['an entry with millions of parts', () => record(`"by_tool":[{"tool":"Read","x":${wide}}]`), 'loaded'],
  [
    'an entry with millions of fields',
    () => record(`"by_tool":[{${numbered((index) => `"x${index}":[]`)}}]`),
    'loaded',
  ],
  [
    'a breakdown of millions of entries that cannot be read',
    () => record(`"by_tool":[${numbered((index) => `{"tool":"t${index}","invocations":-1}`)}]`),
    'failed',
  ],
  [
    'a map with millions of fields',
    () => record(`"tool_autonomy_level_ratio":{${numbered((index) => `"x${index}":[]`)}}`),
    'failed',
  ],
  ['millions of records', () => wide, 'failed'],
  ['a record of nothing but levels', () => `[${nested}]`, 'failed'],
];

test.each(answers)(
  'an answer with %s stays within bounds of memory',
  async (_, data, outcome) => {
    const meta = { org_id: organization, start_date: day, end_date: day };
    const hostile = Buffer.from(`{"data":${data()},"meta":${JSON.stringify(meta)}}`);
    await using installation = await install({
      users: 5,
      fault: ({ path }) =>
        path.endsWith('/tools') ? { kind: 'rewrite', rewrite: () => hostile } : undefined,
    });
    const { summary, stderr } = await installation.load(
      `backfill --from ${day} --to ${day} --endpoints tools`,
      { NODE_OPTIONS: tellPeak, LOG_LEVEL: 'error' },
    );
    const peak = Number(/peak (\d+) KiB/.exec(stderr)?.[1]) / 1024;
    console.log(`${peak.toFixed(0)} of ${mostResidentMebibytes} MiB, ${summary.rows.rejected} rejected`);
    expect(summary.slices).toMatchObject({ planned: 1, [outcome]: 1 });
    expect(peak).toBeLessThan(mostResidentMebibytes);
  },
  300_000,
);
