/** Removes e-mail addresses that were stored before `USER_EMAIL=none` was set. */
import type pg from 'pg';
import { mayHoldAddress } from '../../model/address-pattern.ts';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { withoutEmails, withoutEmailsIn } from '../../model/withheld-emails.ts';
import { emailPlaces } from '../../sources/person-columns.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import type { RemovalRule } from '../../warehouse/removal/removal-rule.ts';
import { removeStored } from '../../warehouse/removal/remove-stored.ts';
import { renewStatistics } from '../../warehouse/removal/statistics.ts';

/**
 * Removes e-mail addresses from an organization's dimensions, archive, quarantine, check results and credit limits. Costs
 * little if there are none. The caller holds the organization's lock, and `persons` has the key of the installation.
 * Returns slices whose archive could not be read and was removed.
 */
export async function withholdStoredEmails(
  pool: pg.Pool,
  orgKey: number,
  persons: ForgottenPersons,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { tables, removed } = await removeStored(pool, emailPlaces, emailRule(orgKey, persons), signal);
  const searched = emailPlaces.map(({ table }) => table);
  const isAddress = (value: string) => withoutEmailsIn(value, persons.nameOfAddress) !== value;
  await retryOnConnectionLoss(pool, signal, () => renewStatistics(pool, searched, tables, isAddress));
  return removed;
}

function emailRule(orgKey: number, persons: ForgottenPersons): RemovalRule {
  const { nameOfAddress } = persons;
  return {
    orgKeys: [orgKey],
    pattern: mayHoldAddress,
    rewrite({ value }, { column, kind }) {
      if (kind === 'email') return null;
      if (kind === 'json') return withoutEmails(Buffer.from(value), nameOfAddress).toString();
      // A credit limit names its user only by the address, so a digest replaces the address.
      if (column === 'user_email') return value.includes('@') ? nameOfAddress(value) : value;
      return withoutEmailsIn(value, nameOfAddress, kind);
    },
    onSameName: 'number',
    archive: { only: { may_hold_emails: true }, afterwards: { may_hold_emails: false } },
    rewriteJson: (json) => withoutEmails(json, nameOfAddress),
  };
}
