/** Reports drift, and the reasons of rejections. */
import { describe } from '../model/describe-value.ts';
import { joinPath } from '../model/json.ts';
import { type Entry, isEntry, UnreadableEntry } from './entry.ts';
import type { RecordSink } from './flat-record.ts';
import type { RecordNode } from './record-node.ts';

/** Reports missing and unknown fields of an entry. */
export function noteFields(node: RecordNode, entry: Entry, sink: RecordSink): void {
  const { path } = node;
  for (const field in entry) {
    if (node.knownFields.includes(field)) continue;
    sink.drifted({
      path: joinPath(path, field),
      kind: 'unknown_field',
      example: () => exampleOf(entry[field]),
    });
  }
  for (const field of node.expected) {
    if (entry[field] === undefined)
      sink.drifted({ path: joinPath(path, field), kind: 'missing_field', example: () => 'absent' });
  }
}

/** A value as JSON. */
export function exampleOf(value: unknown): string {
  return String(JSON.stringify(value));
}

/** The reason why an entry is rejected. */
export function reasonFor(node: RecordNode, entry: unknown): string {
  if (entry instanceof UnreadableEntry) return `expected an object, got ${describe(entry.payload)}`;
  // Absent fields get an explicit undefined: without it zod would report a missing name as an error of the type.
  const named = [...node.knownFields, ...node.foreignFields];
  const fields = isEntry(entry) ? named.map((field) => [field, entry[field]]) : [];
  const issues = node.schema.safeParse(Object.fromEntries(fields)).error?.issues ?? [];
  if (!isEntry(entry) || issues.length === 0) return `expected an object, got ${describe(entry)}`;
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ');
}
