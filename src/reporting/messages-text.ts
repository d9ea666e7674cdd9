/** Describes messages of a session: a heading with the short fields, then the texts. */

import { isPlatformTime, timestampText } from '../model/platform-time.ts';
import type { Sanitizer } from '../model/sanitize.ts';

/** Most characters of one text; a longer text is cut, and a mark shows it. */
export const mostOfText = 60_000;
/** How a sanitized text writes a line break. */
const lineBreak = '\\u000a';
const margin = '  ';

/**
 * One message in several lines. Pass the message as received: its texts are sanitized here, so that their line breaks
 * stay.
 */
export function describeMessage(message: Readonly<Record<string, unknown>>, sanitize: Sanitizer): string {
  const { id, role, createdAt, content, ...others } = message;
  const time = isPlatformTime(createdAt) ? timestampText(createdAt) : undefined;
  const heading = [id, role, time].flatMap((part) => (part === undefined ? [] : [sanitize(wordOf(part))]));
  const details = Object.entries(others).map(
    ([name, value]) => `${sanitize(name)}: ${sanitize(wordOf(value), mostOfText)}`,
  );
  return [
    heading.join('  '),
    ...[...details, ...blocksOf(content, sanitize)].map((line) => margin + line),
  ].join('\n');
}

function blocksOf(content: unknown, sanitize: Sanitizer): string[] {
  if (!Array.isArray(content)) return content === undefined ? [] : [sanitize(wordOf(content), mostOfText)];
  return content.flatMap((block: unknown) => {
    const text: unknown =
      typeof block === 'object' && block !== null ? Reflect.get(block, 'text') : undefined;
    const isPlain = typeof text === 'string' && Reflect.get(Object(block), 'type') === 'text';
    return sanitize(isPlain ? text : wordOf(block), mostOfText).split(lineBreak);
  });
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}
