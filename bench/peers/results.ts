/** The stored figures, and their table in `docs/comparison.md`. */
import { z } from 'zod';
import { median } from '../figures.ts';
import { machine } from '../machine.ts';

const seconds = z.array(z.number().positive()).readonly();

/** The results of one program with its settings. */
const measured = z.object({
  program: z.string(),
  /** The names and versions of its packages. */
  versions: z.string(),
  settings: z.string(),
  /** Seconds of each round. */
  first: seconds,
  again: seconds,
  /** Why figures are missing; such results are shown, but not stored. */
  failure: z.string().optional(),
});

/** The content of `bench/results/peers.json`. */
export const peerResults = z.object({
  machine,
  /** A note beside the figures, for example about other load on the machine. */
  note: z.string().optional(),
  data: z.object({ days: z.number(), userDays: z.number(), sessions: z.string(), credits: z.string() }),
  limitSeconds: z.number(),
  programs: z.array(measured),
});

export type PeerResults = z.infer<typeof peerResults>;

/** A Markdown table below a line about machine and data: medians, with the fastest and slowest round. */
export function comparisonTable({ machine, note, data, programs }: PeerResults): string {
  const { date, cpu, cores, memoryGib, node, postgres } = machine;
  const rounds = Math.max(...programs.map(({ first }) => first.length));
  const rows = programs.map(({ program, versions, settings, first, again, failure }) => [
    `${program} (${versions})`,
    settings,
    failure === undefined ? secondsText(first) : 'failed',
    failure === undefined ? secondsText(again) : '–',
  ]);
  const lines = [
    ['program', 'settings', 'first load', 'unchanged again'],
    ['---', '---', '---', '---'],
    ...rows,
  ];
  return [
    `${date}: ${data.userDays.toLocaleString('en')} user-days (${data.days} days of \`/users\`) into Postgres ${postgres}; ` +
      `${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}. ` +
      `Seconds from start to end of the process${
        rounds > 1 ? `: the median of ${rounds} rounds, and the quickest and slowest of them` : ', one round'
      }. ${note ?? ''}`.trim(),
    '',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

function secondsText(values: readonly number[]): string {
  const [low, middle, high] = [Math.min(...values), median(values), Math.max(...values)];
  const range = values.length > 1 ? ` (${low.toFixed(1)}–${high.toFixed(1)})` : '';
  return `${middle.toFixed(1)}${range}`;
}
