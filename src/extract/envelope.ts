/** The envelope of every analytics answer, and what it must agree with (platform-api.md §2.5). */
import { z } from 'zod';
import type { DayRange } from '../model/day.ts';
import { UnexpectedAnswerError, UnreadableAnswerError } from '../model/errors.ts';
import type { ParsedRows } from '../model/json.ts';
import { type Answer, decodeUtf8 } from './answer.ts';

const description = z.object({
  meta: z.object({
    org_id: z.string().min(1),
    start_date: z.string(),
    end_date: z.string(),
    has_more: z.boolean().nullish(),
    next_cursor: z.string().nullish(),
  }),
});
type Meta = z.infer<typeof description>['meta'];
const contents = z.object({ data: z.array(z.unknown()) });

/** One answer, opened. Of one that is not parsed, asking for rows throws `UnreadableAnswerError` when it is not JSON. */
export interface Page extends ParsedRows {
  readonly organizationId: string;
  /** Cursor of the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
  /** The answer as it came, for the archive. */
  readonly bytes: Buffer;
  /** SHA-256 of the answer's bytes. */
  readonly digest: string;
}

/**
 * Opens an answer to a request for `range`. Throws `UnexpectedAnswerError` when it is not the documented envelope,
 * names other days than asked for, or says that more follows without saying where. Of an answer that is not parsed
 * yet only the end is looked at, where it can be.
 */
export function openEnvelope(answer: Answer, range: DayRange): Page {
  const skimmed = answer.isParsed ? undefined : skimMeta(answer.bytes, range);
  const meta = skimmed ?? opened(description, parsed(answer)).meta;
  const problem = problemOf(meta, range);
  if (problem !== undefined) throw new UnexpectedAnswerError(problem);
  let rows = skimmed === undefined ? opened(contents, parsed(answer)).data : undefined;
  return {
    organizationId: meta.org_id,
    nextCursor: meta.has_more === true ? (meta.next_cursor ?? undefined) : undefined,
    bytes: answer.bytes,
    digest: answer.digest,
    get rows() {
      rows ??= opened(contents, parsed(answer)).data;
      return rows;
    },
    get mayHoldUnstorableCharacters() {
      return answer.mayHoldUnstorableCharacters;
    },
  };
}

/** Why an answer with this meta cannot be one to a request for `range`. */
function problemOf(meta: Meta, range: DayRange): string | undefined {
  if (meta.start_date !== range.from || meta.end_date !== range.to)
    return `asked for ${range.from} to ${range.to}, but the answer's meta names ${meta.start_date} to ${meta.end_date}`;
  if (meta.has_more === true && (meta.next_cursor ?? '') === '')
    return 'the answer says has_more, but names no next_cursor';
  return undefined;
}

function opened<Part>(schema: z.ZodType<Part>, body: unknown): Part {
  const { success, data: part, error } = schema.safeParse(body);
  if (success) return part;
  throw new UnexpectedAnswerError(
    `expected the envelope {data, meta} of an analytics answer; ${error.issues
      .map((issue) => `${issue.path.join('.') || 'the body'}: ${issue.message}`)
      .join('; ')}`,
  );
}

function parsed(answer: Answer): unknown {
  try {
    return answer.value;
  } catch (error) {
    throw new UnreadableAnswerError('expected a complete JSON body, got something else', { cause: error });
  }
}

/** The documented meta takes a few hundred bytes. */
const mostBytesOfMeta = 4_096;
const beginningOfMeta = ',"meta":{';

/**
 * The meta at the end of an answer whose last field it is, without parsing the rest; undefined where it is not, or
 * not as it should be: then only the whole body tells, and whether it is JSON at all.
 * Never another `meta` than that of the whole body, if that is JSON: what is looked for cannot stand within a text,
 * where quotes are escaped, and deeper within objects more brackets would follow than the rest can have.
 */
function skimMeta(bytes: Buffer, range: DayRange): Meta | undefined {
  const end = bytes.subarray(Math.max(0, bytes.length - mostBytesOfMeta));
  const start = end.lastIndexOf(beginningOfMeta);
  if (start === -1) return undefined;
  try {
    const { meta } = description.parse(JSON.parse(`{${decodeUtf8(end.subarray(start + 1))}`));
    return problemOf(meta, range) === undefined ? meta : undefined;
  } catch {
    return undefined;
  }
}
