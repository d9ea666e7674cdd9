/** The rows of the table for one size: a first load and an unchanged re-read. */
import type { Fetched } from './fetch-floor.ts';
import { type Figure, median } from './figures.ts';
import type { Loaded } from './program.ts';

/** One round of all measurements. */
export interface Round {
  readonly fetch: Fetched;
  readonly copy: { readonly ms: number; readonly serverCpuSeconds: number };
  readonly first: Loaded & { readonly serverCpuSeconds: number };
  readonly rereads: readonly Reread[];
  /** Time of plain inserts; undefined when not measured. */
  readonly insertMs: number | undefined;
}

/** A re-read, measured right after its floor. */
export interface Reread {
  /** The fetch floor, measured again: the re-read may request other pages than the first load. */
  readonly fetch: Fetched;
  readonly again: Loaded & { readonly serverCpuSeconds: number };
}

/** Larger answers have no target for memory: any program has such an answer in memory as a whole for a while. */
const largeAnswerBytes = 32 * 1024 ** 2;
const megabyte = 1_000_000;

/** The rows of the table: for times the median of the rounds, for memory the maximum. */
export function figuresOfSize(
  part: string,
  rows: number,
  rounds: readonly Round[],
  copyName: string,
): Figure[] {
  const middle = (of: (round: Round) => number) => median(rounds.map(of));
  const fetch = middle((round) => round.fetch.ms / 1000);
  const rereads = rounds.flatMap((round) => round.rereads);
  const fetchAgain = median(rereads.map((reread) => reread.fetch.ms / 1000));
  const copy = middle((round) => round.copy.ms / 1000);
  const first = middle((round) => round.first.ms / 1000);
  const again = median(rereads.map((reread) => reread.again.ms / 1000));
  const requests = middle((round) => round.fetch.requests);
  const inserts = rounds.flatMap(({ insertMs }) => (insertMs === undefined ? [] : [insertMs / 1000]));
  const seconds = { part, unit: 's' } as const;
  const copyCpu = { what: copyName, value: middle(({ copy }) => copy.serverCpuSeconds) };
  return [
    {
      ...seconds,
      name: 'first load',
      value: first,
      floor: { what: `fetch, parse, ${copyName}`, value: fetch + copy },
      target: { of: 'ratio', better: 'lower', must: 2, aim: 1.4 },
      note: `${whole(requests)} requests and ${whole(rows)} rows; floor ${short(fetch)} + ${short(copy)} s`,
    },
    ...(inserts.length === 0 ? [] : [insertsFigure(seconds, first, fetch, median(inserts))]),
    {
      ...seconds,
      name: 'unchanged re-read',
      value: again,
      floor: { what: 'fetch and parse', value: fetchAgain },
      target: { of: 'ratio', better: 'lower', must: 1.3, aim: 1.1 },
    },
    {
      ...seconds,
      name: 'CPU of Postgres, first load',
      value: middle((round) => round.first.serverCpuSeconds),
      floor: copyCpu,
      target: { of: 'ratio', better: 'lower', must: 2, aim: 1.5 },
    },
    {
      ...seconds,
      name: 'CPU of Postgres, unchanged re-read',
      value: median(rereads.map((reread) => reread.again.serverCpuSeconds)),
      floor: copyCpu,
    },
    memoryFigure(part, rounds),
  ];
}

function insertsFigure(
  seconds: { readonly part: string; readonly unit: string },
  first: number,
  fetch: number,
  insert: number,
): Figure {
  return {
    ...seconds,
    name: 'first load',
    value: first,
    floor: { what: 'fetch, parse, Kysely multi-row inserts', value: fetch + insert },
    target: { of: 'ratio', better: 'lower', must: 0.5, aim: 0.25 },
    note: `the inserts alone ${short(insert)} s`,
  };
}

function memoryFigure(part: string, rounds: readonly Round[]): Figure {
  const [first, again] = [
    Math.max(...rounds.map((round) => round.first.peakBytes / megabyte)),
    Math.max(...rounds.flatMap(({ rereads }) => rereads.map(({ again }) => again.peakBytes / megabyte))),
  ];
  const largest = Math.max(...rounds.map((round) => round.fetch.largest));
  const bounds = largest > largeAnswerBytes ? { must: 450, aim: 300 } : { must: 250, aim: 150 };
  return {
    part,
    name: 'peak RSS',
    value: Math.max(first, again),
    unit: 'MB',
    target: { of: 'value', better: 'lower', ...bounds },
    note: `re-read ${whole(again)} MB; largest answer ${short(largest / 1024 ** 2)} MiB`,
  };
}

const whole = (count: number) => Math.round(count).toLocaleString('en');
const short = (value: number) => String(Number(value.toPrecision(3)));
