/** Removes data that may not be stored any more, before anything of an organization is read or loaded. */
import type { Config } from '../../model/config.ts';
import type { Source } from '../../model/source.ts';
import { type Forgetting, forgetPending } from './forget-stored.ts';
import { withholdStoredEmails } from './withhold-emails.ts';
import { settleStoredTexts } from './withhold-texts.ts';

/**
 * Removes forgotten persons from stored data, and e-mails and texts that the settings withhold. Costs little if nothing is
 * left to remove. The caller holds the organization's lock.
 */
export async function removeBeforeLoad(
  forgetting: Forgetting,
  orgKey: number,
  sources: readonly Source[],
  { withholdsEmails, withholdsTexts }: Pick<Config, 'withholdsEmails' | 'withholdsTexts'>,
): Promise<void> {
  const { pool, persons, signal, onEvent } = forgetting;
  await forgetPending(forgetting, orgKey);
  const emails = withholdsEmails ? await withholdStoredEmails(pool, orgKey, persons, signal) : [];
  const texts = await settleStoredTexts(pool, orgKey, sources, withholdsTexts, signal);
  for (const slice of [...emails, ...texts]) onEvent({ type: 'archive-removed', slice });
}
