/** Plans the credit limits to send, from a file and from the limits in the warehouse, without I/O. */
import { emailKey } from '../../model/email.ts';
import type { LimitsPlan, PlannedChange } from '../../model/limit-changes.ts';
import type { WantedLimit } from '../../model/limits-file.ts';
import type { KnownLimits } from '../../warehouse/limits/limit-changes.ts';

/**
 * Plans the limits to send. An attempt without an answer is sent again, even if the file does not name its user. If the
 * file has another limit for this user, only the limit of the file is sent.
 */
export function planLimits(wanted: readonly WantedLimit[], known: KnownLimits): LimitsPlan {
  const wantedOf = new Map(wanted.map((each) => [emailKey(each.email), each]));
  const unknownOf = Map.groupBy(known.unknown, ({ email }) => emailKey(email));
  const changes: PlannedChange[] = [];
  for (const [key, attempts] of unknownOf) {
    const last = attempts.at(-1);
    if (last === undefined) continue;
    const { email, limit } = wantedOf.get(key) ?? last;
    const isSame = limit === last.limit;
    changes.push({
      email: isSame ? last.email : email,
      before: undefined,
      limit,
      changeId: isSame ? last.changeId : undefined,
      replaces: attempts.filter((each) => !isSame || each !== last).map(({ changeId }) => changeId),
    });
  }
  let alreadySet = 0;
  for (const [key, { email, limit }] of wantedOf) {
    if (unknownOf.has(key)) continue;
    const before = known.confirmed.get(key)?.limit;
    if (before === limit) alreadySet += 1;
    else changes.push({ email, before, limit, changeId: undefined, replaces: [] });
  }
  return { changes, alreadySet };
}
