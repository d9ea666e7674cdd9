/** The texts of messages about a night of many organizations. They contain the names of the file, endpoints and days. */
import type { Day } from '../../model/day.ts';
import type { Sanitize } from '../../model/sanitize.ts';
import { counted } from '../../reporting/number-text.ts';
import type { SliceName } from '../../warehouse/ledger/slice-ledger.ts';
import { refusedInWords } from './night-text.ts';

/** An organization of which a message tells. */
export interface ToldOrganization {
  readonly name: string;
  /** Why its night is not whole, in sentences without a secret. */
  readonly reasons: readonly string[];
  /** Its refused slices, which no message has named yet. */
  readonly refused: readonly SliceName[];
}

/** The largest number of organizations that a text names; it counts the others. */
const mostNamed = 10;

/** Says for which organizations a night is not whole, and names refused slices. */
export function roundFailureInWords(
  night: Day,
  failed: readonly ToldOrganization[],
  sanitize: Sanitize,
): string {
  const which = counted(failed.length, 'organization');
  return sanitize(`Night ${night} is not whole for ${which}: ${named(failed)}`);
}

/** Says that a night is whole for all organizations of which a failure was told. */
export function roundRecoveryInWords(
  night: Day,
  recovered: readonly ToldOrganization[],
  sanitize: Sanitize,
): string {
  const which = counted(recovered.length, 'organization');
  return sanitize(`Night ${night} has recovered: nothing is missing of ${which}: ${named(recovered)}`);
}

/** Says that a person must decide about refused slices. */
export function roundRefusalInWords(
  night: Day,
  refused: readonly ToldOrganization[],
  sanitize: Sanitize,
): string {
  return sanitize(`Night ${night} needs a decision: ${named(refused)}`);
}

function named(organizations: readonly ToldOrganization[]): string {
  const rest = organizations.length - mostNamed;
  const first = organizations.slice(0, mostNamed).map(({ name, reasons, refused }) => {
    // A reason may begin with the name, which stands before it anyway.
    const own = reasons.map((reason) =>
      reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason,
    );
    const words = [...own, ...(refused.length > 0 ? [refusedInWords(refused)] : [])];
    return words.length === 0 ? name : `${name}: ${words.join(', ')}`;
  });
  return `${first.join('; ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
