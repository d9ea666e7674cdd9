/** Writes the figures as a table for people, and as JSON for comparison. */
import { textTable } from '../src/reporting/text-table.ts';
import { type Figure, ratioOf, verdictOf } from './figures.ts';
import type { Machine } from './machine.ts';

/** The table, below a line about the machine. */
export function reportTable(machine: Machine, quick: boolean, figures: readonly Figure[]): string {
  const { date, cpu, cores, memoryGib, system, node, postgres } = machine;
  const rows = figures.map((figure) => {
    const { part, name, value, unit, floor, note } = figure;
    return [
      part,
      name,
      `${short(value)} ${unit}`.trim(),
      floor === undefined ? '' : `${floor.what}: ${short(floor.value)} ${unit}`.trim(),
      short(ratioOf(figure)),
      targetText(figure),
      verdictOf(figure) ?? '',
      note ?? '',
    ];
  });
  const headings = ['part', 'figure', 'value', 'floor', 'ratio', 'target', 'verdict', 'note'];
  return [
    `${date}: ${cpu}, ${cores} cores, ${memoryGib} GiB, ${system}, Node ${node}, Postgres ${postgres}`,
    ...(quick ? ['--quick: small sizes, not for comparison'] : []),
    '',
    textTable(headings, rows),
  ].join('\n');
}

/** The figures as a JSON value. */
export function reportJson(machine: Machine, quick: boolean, figures: readonly Figure[]): unknown {
  return {
    machine,
    quick,
    figures: figures.map((figure) => ({
      ...figure,
      ratio: ratioOf(figure),
      verdict: verdictOf(figure),
    })),
  };
}

function targetText({ target, unit }: Figure): string {
  if (target === undefined) return '';
  const sign = target.better === 'lower' ? '≤' : '≥';
  const inUnit = target.of === 'value' && unit !== '' ? ` ${unit}` : '';
  return `${target.of === 'ratio' ? 'ratio ' : ''}${sign} ${target.must}${inUnit}, aim ${target.aim}`;
}

/** A number with three significant digits; from 100 on it is rounded to a whole number. */
function short(value: number | undefined): string {
  if (value === undefined) return '';
  if (!Number.isFinite(value)) return 'unknown';
  return Math.abs(value) >= 100 || value === 0
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}
