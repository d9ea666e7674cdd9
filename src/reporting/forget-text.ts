/** Whom `forget-user` means, and what it did, in words. The texts in it must are sanitized. */
import { countUsers, type ForgetReport, type ForgottenUser } from '../model/forgetting.ts';
import { counted, numberText } from './number-text.ts';

/** Lines that a person may look through; `--json` has all of them. */
const mostListed = 200;

/** Whom the name means, a line for each. */
export function describeForgetting(users: readonly ForgottenUser[]): string[] {
  if (users.length === 0)
    return ['Nobody of this name is known. Whatever comes later of them is to be forgotten.'];
  const lines = users.slice(0, mostListed).map(({ organizationId, userId, shared }) => {
    const stays =
      shared.length === 0
        ? ''
        : `; ${shared.join(', ')} ${shared.length === 1 ? 'is' : 'are'} shared with others, and stays theirs`;
    return `  ${userId} of ${organizationId}${stays}`;
  });
  if (users.length > mostListed) lines.push(`  and ${numberText(users.length - mostListed)} more`);
  return [`To be forgotten: ${counted(countUsers(users), 'user')}`, ...lines];
}

const sentences = {
  nothing_to_do: 'This person was forgotten before; there is nothing more to do.',
  nobody_known: 'Nobody of this name is known. Whatever comes later of them will be forgotten.',
} as const;

/** What was done, without the name. */
export function describeForgotten({ outcome, users, rows, chunks, organizationsLeft }: ForgetReport): string {
  const lines = [
    outcome === 'forgotten'
      ? `Forgotten: ${counted(countUsers(users), 'user')}, in ${counted(rows, 'row')} and ${counted(chunks, 'part')} of the raw archive. Whatever comes later of them is, too.`
      : sentences[outcome],
  ];
  if (organizationsLeft > 0)
    lines.push(
      `Runs are at work on ${counted(organizationsLeft, 'other organization')}, in which nobody is known by this name; they look for it when they end.`,
    );
  return lines.join('\n');
}
