/** The advice for refused answers. */
import { isDay } from '../model/day.ts';
import { inShell } from '../model/installation.ts';
import type { NotedSlice } from '../model/run-report.ts';

/** One sentence with the command for the first refused slice; empty if no slice was refused. */
export function whatToDecide([first, ...others]: readonly Pick<NotedSlice, 'endpoint' | 'key'>[]): string[] {
  if (first === undefined) return [];
  const { endpoint, key } = first;
  const each = others.length === 0 ? '' : ', and so on for each,';
  const command = isDay(key)
    ? `\`${inShell(`backfill --from ${key} --to ${key} --endpoints ${endpoint} --force --allow-empty`)}\``
    : `\`--force --allow-empty\` with the command that reads ${endpoint} ${key}`;
  return [
    `The stored rows of refused slices stay, and every night reads them again. If the platform is right, ${command}${each} accepts its answer.`,
  ];
}
