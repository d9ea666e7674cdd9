/** The file of `limits apply`, as `limits suggest` writes it: e-mails and credit limits. */

import { csvLine, readCsv, shown } from './csv.ts';
import { emailKey, isEmail } from './email.ts';
import { smallestLimit } from './platform/credit-limits.ts';

/** A line of the file. */
export interface WantedLimit {
  readonly email: string;
  /** The limit in Standard Credits; null removes the user's own limit. */
  readonly limit: number | null;
}

const columns = { required: ['email', 'limit'] } as const;
const noLimit = 'none';

/**
 * Reads the file; it may have no lines. Adds a sentence with the line number to `problems` for each problem. An e-mail
 * must not appear twice, in whatever spelling: it would be unclear which limit counts.
 */
export function readLimitsFile(bytes: Buffer, problems: string[]): WantedLimit[] {
  const wanted: WantedLimit[] = [];
  const lineOf = new Map<string, number>();
  for (const { line, value } of readCsv(bytes, columns, problems)) {
    const email = value('email');
    const limit = limitOf(value('limit'));
    const first = lineOf.get(emailKey(email));
    if (!isEmail(email))
      problems.push(`line ${line}: email: expected an e-mail address, got ${shown(email)}`);
    else if (first !== undefined) problems.push(`line ${line}: email: line ${first} has the same e-mail`);
    else lineOf.set(emailKey(email), line);
    if (limit === undefined)
      problems.push(
        `line ${line}: limit: expected a whole number from ${smallestLimit} to ${Number.MAX_SAFE_INTEGER}, or ${noLimit}; got ${shown(value('limit'))}`,
      );
    else wanted.push({ email, limit });
  }
  return wanted;
}

/** The text of a file with these lines. */
export function limitsFileText(limits: readonly WantedLimit[]): string {
  const lines = limits.map(({ email, limit }) => csvLine([email, limit === null ? noLimit : String(limit)]));
  return [csvLine(columns.required), ...lines].join('\n');
}

/** The limit of a line; null for none, undefined for an invalid one. */
function limitOf(text: string): number | null | undefined {
  if (text === noLimit) return null;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return number >= smallestLimit && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
