/** What people can do about answers that were refused. */
import { isDay } from '../model/day.ts';
import { inShell } from '../model/installation.ts';
import type { NotedSlice } from '../model/run.ts';

/** One sentence with the command for the first of the refused slices; none without any. */
export function whatToDecide([first, ...others]: readonly Pick<NotedSlice, 'endpoint' | 'key'>[]): string[] {
  if (first === undefined) return [];
  const { endpoint, key } = first;
  const each = others.length === 0 ? '' : ', and so on for each,';
  const command = isDay(key)
    ? `\`${inShell(`backfill --from ${key} --to ${key} --endpoints ${endpoint} --force --allow-empty`)}\``
    : `\`--force --allow-empty\` with the command that reads ${endpoint} ${key}`;
  return [
    `Of what was refused, what is held stays, and every night asks again. If the platform is right, ${command}${each} lets its answer through.`,
  ];
}
