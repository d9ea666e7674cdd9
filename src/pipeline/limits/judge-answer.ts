/** Reads the outcome of each user from an answer to a request that sets limits (platform-api.md §4.1). */
import { z } from 'zod';
import { emailKey } from '../../model/email.ts';
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Outcome } from '../../model/limit-changes.ts';
import { limitsAnswer } from '../../model/platform/credit-limits.ts';

/** An answer with both lists; `judgeAnswer` parses their entries one by one. */
export interface LimitsAnswerLists {
  readonly updated: readonly unknown[];
  readonly errors: readonly unknown[];
}

const lists = z.object({ updated: z.array(z.unknown()), errors: z.array(z.unknown()) });
const { updated: updatedEntries, errors: errorEntries } = limitsAnswer.shape;

/** Parses a body. Throws `SyntaxError` if it is not JSON, and `UnexpectedAnswerError` if a list is missing. */
export function openLimitsAnswer(body: Buffer): LimitsAnswerLists {
  const parsed = lists.safeParse(JSON.parse(body.toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new UnexpectedAnswerError(
    'expected the answer to have the lists updated and errors (platform-api.md §4.1), got something else',
  );
}

/**
 * Returns the outcome for each e-mail of the request, in the same order. An outcome is `unknown` if the answer does not
 * name the user, contradicts itself, or has an unreadable entry for the user. `others` are e-mails that were not in the
 * request; `unreadable` counts entries without a readable e-mail.
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
  const add = (entry: unknown, outcomeOf: () => Outcome | undefined) => {
    const named = z.object({ email: z.string() }).safeParse(entry);
    const outcome = outcomeOf();
    const outcomes = named.success ? said.get(emailKey(named.data.email)) : undefined;
    if (outcomes !== undefined) outcomes.push(outcome ?? cannotBeRead);
    else if (named.success) others.push(named.data.email);
    else unreadable += 1;
  };
  for (const entry of answer.updated)
    add(entry, () => {
      const { data } = updatedEntries.element.safeParse(entry);
      return data && { outcome: 'updated', confirmed: data.limit };
    });
  for (const entry of answer.errors)
    add(entry, () => {
      const { data } = errorEntries.element.safeParse(entry);
      return data && { outcome: 'error', error: data.error };
    });
  return {
    outcomes: emails.map((email) => onlyOutcome(said.get(emailKey(email)) ?? [])),
    others,
    unreadable,
  };
}

const cannotBeRead: Outcome = {
  outcome: 'unknown',
  error: 'the entry of the answer for this user cannot be read',
};

function onlyOutcome(said: readonly Outcome[]): Outcome {
  const [first, ...more] = said;
  if (first === undefined)
    return {
      outcome: 'unknown',
      error: 'the answer does not name this user, neither as updated nor as failed',
    };
  if (more.every((other) => JSON.stringify(other) === JSON.stringify(first))) return first;
  return { outcome: 'unknown', error: 'the answer contradicts itself about this user' };
}
