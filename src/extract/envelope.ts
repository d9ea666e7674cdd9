/** The envelope of every analytics answer, and what it must agree with (platform-api.md §2.5). */
import { z } from 'zod';
import type { DayRange } from '../model/day.ts';
import { UnexpectedAnswerError } from '../model/errors.ts';
import type { Answer } from './attempt.ts';

const envelope = z.object({
  data: z.array(z.unknown()),
  meta: z.object({
    org_id: z.string().min(1),
    start_date: z.string(),
    end_date: z.string(),
    has_more: z.boolean().nullish(),
    next_cursor: z.string().nullish(),
  }),
});

/** One answer, opened. */
export interface Page {
  readonly organizationId: string;
  readonly rows: readonly unknown[];
  /** Cursor of the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
  /** The answer's exact text, for the archive. */
  readonly text: string;
  /** SHA-256 of the answer's bytes. */
  readonly digest: string;
  readonly mayHoldUnstorableCharacters: boolean;
}

/**
 * Opens an answer to a request for `range`. Throws `UnexpectedAnswerError` when it is not the documented envelope,
 * names other days than asked for, or says that more follows without saying where.
 */
export function openEnvelope(answer: Answer, range: DayRange): Page {
  const parsed = envelope.safeParse(answer.value);
  if (!parsed.success)
    throw new UnexpectedAnswerError(
      `expected the envelope {data, meta} of an analytics answer; ${parsed.error.issues
        .map((issue) => `${issue.path.join('.') || 'the body'}: ${issue.message}`)
        .join('; ')}`,
    );
  const { data, meta } = parsed.data;
  if (meta.start_date !== range.from || meta.end_date !== range.to)
    throw new UnexpectedAnswerError(
      `asked for ${range.from} to ${range.to}, but the answer's meta names ${meta.start_date} to ${meta.end_date}`,
    );
  const hasMore = meta.has_more === true;
  if (hasMore && (meta.next_cursor ?? '') === '')
    throw new UnexpectedAnswerError('the answer says has_more, but names no next_cursor');
  return {
    organizationId: meta.org_id,
    rows: data,
    nextCursor: hasMore ? (meta.next_cursor ?? undefined) : undefined,
    text: answer.text,
    digest: answer.digest,
    mayHoldUnstorableCharacters: answer.mayHoldUnstorableCharacters,
  };
}
