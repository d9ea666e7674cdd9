/** Describes the plan and the result of `forget-user`. The texts must be sanitized. */
import { countUsers, type ForgetReport, type ForgottenUser } from '../model/forgetting.ts';
import { counted, numberText } from './number-text.ts';

/** Most users that are listed; `--json` has all. */
const mostListed = 200;

/** The users whom the name means, one per line. */
export function describeForgetting(users: readonly ForgottenUser[]): string[] {
  if (users.length === 0) return ['This name is not known. It will be forgotten when it appears later.'];
  const lines = users.slice(0, mostListed).map(({ organizationId, userId, shared }) => {
    const stays =
      shared.length === 0
        ? ''
        : `; ${shared.join(', ')} ${shared.length === 1 ? 'is' : 'are'} shared with others, and stays in their rows`;
    return `  ${userId} of ${organizationId}${stays}`;
  });
  if (users.length > mostListed) lines.push(`  and ${numberText(users.length - mostListed)} more`);
  return [`To be forgotten: ${counted(countUsers(users), 'user')}`, ...lines];
}

const sentences = {
  nothing_to_do: 'This person was forgotten before; there is nothing more to do.',
  nobody_known: 'This name is not known. It will be forgotten when it appears later.',
} as const;

/** The result, without the name. */
export function describeForgotten({ outcome, users, rows, chunks, organizationsLeft }: ForgetReport): string {
  const lines = [
    outcome === 'forgotten'
      ? `Forgotten: ${counted(countUsers(users), 'user')}, in ${counted(rows, 'row')} and ${counted(chunks, 'part')} of the raw archive. Later data of them is forgotten, too.`
      : sentences[outcome],
  ];
  if (organizationsLeft > 0)
    lines.push(
      `Runs are active for ${counted(organizationsLeft, 'other organization')} without this name; they search for it when they end.`,
    );
  return lines.join('\n');
}
