/** Describes the changes of an import. */
import type { RunSummary } from '../model/run-report.ts';
import { counted } from './number-text.ts';

/** One sentence; `of` says what the lines are about, such as persons. */
export function describeImport({ rows }: Pick<RunSummary, 'rows'>, of: string): string {
  const changed = rows.inserted + rows.updated + rows.deleted;
  const lines = `${counted(rows.read, 'line')} about ${of}`;
  if (changed === 0) return `${lines}: nothing changed, all rows were stored before.`;
  return `${lines}: ${counted(rows.inserted, 'row')} inserted, ${rows.updated} updated, ${rows.deleted} deleted.`;
}
