/** `limits suggest`: computes credit limits from the used credits. */
import Big from 'big.js';
import type { Config } from '../../model/config.ts';
import { startsFormula } from '../../model/csv.ts';
import type { DayRange } from '../../model/day.ts';
import { emailKey, isEmail } from '../../model/email.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { WantedLimit } from '../../model/limits-file.ts';
import { smallestLimit } from '../../model/platform/credit-limits.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { readUsedCredits, type UsedCredits } from '../../warehouse/limits/used-credits.ts';
import { onlyOrganization } from '../organization/asked-organizations.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';

/** A limit, and the credits that it was computed from. */
export interface SuggestedLimit extends WantedLimit {
  readonly limit: number;
  /** Credits used, as exact decimal text. */
  readonly credits: string;
}

/** Suggested limits, and the numbers of users that were left out. */
export interface Suggestion {
  readonly organizationId: string;
  readonly daysHeld: number;
  /** Sorted by e-mail. */
  readonly limits: readonly SuggestedLimit[];
  /** Number of users who used no credits: no limit can be computed for them. */
  readonly withoutUsage: number;
  /** Number of users who used credits, but have no valid e-mail for the file. */
  readonly withoutEmail: number;
  /** Number of users who used credits, but have an e-mail that a spreadsheet would read as a formula. */
  readonly withFormula: number;
  /** Number of e-mails that several users have; the credits of these users are summed. */
  readonly shared: number;
}

/**
 * Suggests a limit for everybody who used credits in a range of days: the credits times `headroom` (decimal text),
 * rounded up, and at least the smallest limit of the platform. Throws `ConfigurationError` without an organization, or if
 * there are several and the settings do not say which.
 */
export async function suggestLimits(
  { pool }: Warehouse,
  config: Pick<Config, 'organization'>,
  range: DayRange,
  headroom: string,
): Promise<Suggestion> {
  return withSession(pool, async (session) => {
    const only = await onlyOrganization(session.db, config, 'limits suggest');
    if (only === undefined)
      throw new ConfigurationError([
        'limits suggest: expected a loaded organization, got none; load it first',
      ]);
    const used = await readUsedCredits(session, only.orgKey, range);
    return { organizationId: only.organizationId, ...limitsFrom(used, headroom) };
  });
}

/** Computes the limits from the used credits, without I/O. */
export function limitsFrom(
  { users, daysHeld }: UsedCredits,
  headroom: string,
): Omit<Suggestion, 'organizationId'> {
  const usedBy = users.filter(({ credits }) => credits !== null && new Big(credits).gt(0));
  const byEmail = new Map<string, { email: string; credits: Big; users: number }>();
  let withoutEmail = 0;
  let withFormula = 0;
  for (const { email, credits } of usedBy) {
    if (email !== null && startsFormula(email)) {
      withFormula += 1;
      continue;
    }
    if (email === null || !isEmail(email)) {
      withoutEmail += 1;
      continue;
    }
    const known = byEmail.get(emailKey(email)) ?? { email, credits: new Big(0), users: 0 };
    byEmail.set(emailKey(email), {
      ...known,
      credits: known.credits.plus(credits ?? 0),
      users: known.users + 1,
    });
  }
  const limits = [...byEmail.values()]
    .map(({ email, credits }) => ({ email, limit: limitFor(credits, headroom), credits: credits.toFixed() }))
    .sort((a, b) => (a.email < b.email ? -1 : 1));
  return {
    daysHeld,
    limits,
    withoutUsage: users.length - usedBy.length,
    withoutEmail,
    withFormula,
    shared: [...byEmail.values()].filter((each) => each.users > 1).length,
  };
}

function limitFor(credits: Big, headroom: string): number {
  const wanted = credits.times(headroom).round(0, Big.roundUp);
  if (wanted.lt(smallestLimit)) return smallestLimit;
  return wanted.gt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : wanted.toNumber();
}
