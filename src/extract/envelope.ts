/** The envelope of every analytics answer, and what it must agree with (platform-api.md §2.5). */
import { z } from 'zod';
import type { DayRange } from '../model/day.ts';
import { UnexpectedAnswerError, UnreadableAnswerError } from '../model/errors.ts';
import type { ParsedRows } from '../model/json.ts';
import type { Answer } from './answer.ts';

const description = z.object({
  meta: z.object({
    org_id: z.string().min(1),
    start_date: z.string(),
    end_date: z.string(),
    has_more: z.boolean().nullish(),
    next_cursor: z.string().nullish(),
  }),
});
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
  const skimmed = answer.isParsed ? undefined : skimMeta(answer.bytes);
  const { meta } = opened(description, skimmed ?? parsed(answer));
  if (meta.start_date !== range.from || meta.end_date !== range.to)
    throw new UnexpectedAnswerError(
      `asked for ${range.from} to ${range.to}, but the answer's meta names ${meta.start_date} to ${meta.end_date}`,
    );
  const hasMore = meta.has_more === true;
  if (hasMore && (meta.next_cursor ?? '') === '')
    throw new UnexpectedAnswerError('the answer says has_more, but names no next_cursor');
  let rows = skimmed === undefined ? opened(contents, parsed(answer)).data : undefined;
  return {
    organizationId: meta.org_id,
    nextCursor: hasMore ? (meta.next_cursor ?? undefined) : undefined,
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
 * `{meta}` from the end of an answer whose last field it is, without parsing the rest; undefined for any other.
 * Never another `meta` than that of the whole body, if that is JSON: what is looked for cannot stand within a text,
 * where quotes are escaped, and deeper within objects more brackets would follow than the rest can have.
 */
function skimMeta(bytes: Buffer): unknown {
  const end = bytes.toString('utf8', Math.max(0, bytes.length - mostBytesOfMeta));
  const start = end.lastIndexOf(beginningOfMeta);
  if (start === -1) return undefined;
  try {
    return JSON.parse(`{${end.slice(start + 1)}`);
  } catch {
    // Not the last field: only the whole body tells.
    return undefined;
  }
}
