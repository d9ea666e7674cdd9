/** Before a run stores anything of an organization: takes out what is stored and may not be. */
import type { Source } from '../../model/source.ts';
import type { OpenRun } from '../runs/with-run.ts';
import { forgetPending } from './forget-stored.ts';
import { withholdStoredEmails } from './withhold-emails.ts';
import { settleStoredTexts } from './withhold-texts.ts';

/** Rewrites what names a person who is to be forgotten, if there is such a thing. The caller holds the organization's lock. */
export async function forgetAndTell(run: OpenRun, orgKey: number): Promise<void> {
  const forgotten = await forgetPending(run, orgKey);
  if (forgotten !== undefined) run.onEvent({ type: 'persons-forgotten', ...forgotten });
}

/** The same, and removes e-mails and texts of `sources` that the settings have not stored any more. */
export async function settleStored(run: OpenRun, orgKey: number, sources: readonly Source[]): Promise<void> {
  const { pool, persons, signal, onEvent } = run;
  const { withholdsEmails, withholdsTexts } = run.config;
  await forgetAndTell(run, orgKey);
  const removed = withholdsEmails ? await withholdStoredEmails(pool, orgKey, sources, persons, signal) : [];
  const settled = await settleStoredTexts(pool, { orgKey, sources, withholdsTexts }, signal);
  for (const slice of [...removed, ...settled]) onEvent({ type: 'archive-removed', slice });
}
