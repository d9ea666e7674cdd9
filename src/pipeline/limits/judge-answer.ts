/** What an answer to a request for limits says of each user that was asked for, and of others (platform-api.md §4.1). */
import { z } from 'zod';
import { emailKey } from '../../model/email.ts';
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Outcome } from '../../model/limit-changes.ts';
import { limitsAnswer } from '../../model/platform/credit-limits.ts';

/** An answer that has both lists; whether their entries can be read is looked at one by one. */
export interface LimitsAnswerLists {
  readonly updated: readonly unknown[];
  readonly errors: readonly unknown[];
}

const lists = z.object({ updated: z.array(z.unknown()), errors: z.array(z.unknown()) });
const { updated: updatedEntries, errors: errorEntries } = limitsAnswer.shape;

/** Opens a body. Throws `SyntaxError` for what is no JSON, `UnexpectedAnswerError` where a list is missing. */
export function openLimitsAnswer(body: Buffer): LimitsAnswerLists {
  const parsed = lists.safeParse(JSON.parse(body.toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new UnexpectedAnswerError(
    'expected the answer to have the lists updated and errors (platform-api.md §4.1), got something else',
  );
}

/**
 * The outcome for each e-mail that was asked for, in the same order. What an answer leaves out, says twice in two ways,
 * or says so that it cannot be read, stays unknown. `others` are e-mails that nobody asked for, and how many entries
 * named nobody.
 */
export function judgeAnswer(
  emails: readonly string[],
  answer: LimitsAnswerLists,
): {
  readonly outcomes: readonly Outcome[];
  readonly others: readonly string[];
  readonly unreadable: number;
} {
  const said = new Map<string, Outcome[]>(emails.map((email) => [emailKey(email), []]));
  const others: string[] = [];
  let unreadable = 0;
  const hear = (entry: unknown, outcomeOf: () => Outcome | undefined) => {
    const named = z.object({ email: z.string() }).safeParse(entry);
    const outcome = outcomeOf();
    const heard = named.success ? said.get(emailKey(named.data.email)) : undefined;
    if (heard !== undefined) heard.push(outcome ?? cannotBeRead);
    else if (named.success) others.push(named.data.email);
    else unreadable += 1;
  };
  for (const entry of answer.updated)
    hear(entry, () => {
      const { data } = updatedEntries.element.safeParse(entry);
      return data && { outcome: 'updated', confirmed: data.limit };
    });
  for (const entry of answer.errors)
    hear(entry, () => {
      const { data } = errorEntries.element.safeParse(entry);
      return data && { outcome: 'error', error: data.error };
    });
  return { outcomes: emails.map((email) => theOneOf(said.get(emailKey(email)) ?? [])), others, unreadable };
}

const cannotBeRead: Outcome = {
  outcome: 'unknown',
  error: 'what the answer says of this user cannot be read',
};

function theOneOf(said: readonly Outcome[]): Outcome {
  const [first, ...more] = said;
  if (first === undefined)
    return {
      outcome: 'unknown',
      error: 'the answer does not name this user, neither as updated nor as failed',
    };
  if (more.every((other) => JSON.stringify(other) === JSON.stringify(first))) return first;
  return { outcome: 'unknown', error: 'the answer says of this user two things that cannot both be so' };
}
