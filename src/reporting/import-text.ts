/** What an import changed, for people. */
import type { RunSummary } from '../model/run.ts';
import { counted } from './number-text.ts';

/** One sentence; `of` says what the lines were about. */
export function describeImport({ rows }: Pick<RunSummary, 'rows'>, of: string): string {
  const changed = rows.inserted + rows.updated + rows.deleted;
  const lines = `${counted(rows.read, 'line')} about ${of}`;
  if (changed === 0) return `${lines}: nothing changed, all of it was there already.`;
  return `${lines}: ${counted(rows.inserted, 'row')} inserted, ${rows.updated} updated, ${rows.deleted} deleted.`;
}
