/** The names of forgotten persons: digests under a key, and what each of them means. */
import { emailKey } from './email.ts';
import { keyedDigest } from './keyed-digest.ts';

/**
 * What a name stands for. `user_id`: a user who is forgotten. `asked_email`: an address by which somebody asked; whoever
 * has it is forgotten. `sole_email`: an address that only forgotten users ever had; it is withheld from whoever has it
 * later. `shared_email`: an address of a forgotten user that others had, too; it is withheld in that user's rows.
 * `new_email`: one that a forgotten user came with, and of which nobody has looked yet which of the two it is.
 * `email`: kept by an earlier version, which did not tell addresses apart.
 */
export const nameKinds = [
  'user_id',
  'email',
  'asked_email',
  'sole_email',
  'shared_email',
  'new_email',
] as const;
export type NameKind = (typeof nameKinds)[number];

/** A name as it is kept. */
export interface ForgottenName {
  readonly kind: NameKind;
  /** HMAC-SHA-256 of what it is (a user id or an e-mail) and the name, e-mails in the spelling of `emailKey`. */
  readonly digest: Buffer;
}

/** A user id is exact, an e-mail is not. */
type Named = 'user_id' | 'email';

const digitsOfPseudonym = 20;
const none: ReadonlySet<NameKind> = new Set();

/** All names that this process knows of. */
export class ForgottenNames {
  #digestOf: ((text: string) => Buffer) | undefined;
  readonly #known = new Map<string, Set<NameKind>>();
  #size = 0;
  #learned: ForgottenName[] = [];

  /** How many names are known; one that is known as two kinds counts twice, as in `etl.forgotten_name`. */
  get size(): number {
    return this.#size;
  }

  /** Takes names that are kept already. All of them are under one key. */
  know(key: Buffer, names: readonly ForgottenName[]): void {
    this.#digestOf = keyedDigest(key);
    for (const name of names) this.#add(name);
  }

  /** The names that came to be known since this was last asked. */
  takeLearned(): readonly ForgottenName[] {
    const learned = this.#learned;
    this.#learned = [];
    return learned;
  }

  /** What a name is known as. */
  kindsOf(named: Named, name: string): ReadonlySet<NameKind> {
    return this.#size === 0
      ? none
      : (this.#known.get(keyOf(named, this.#digest('name', named, name))) ?? none);
  }

  /** Whether this was new. */
  learn(kind: NameKind, name: string): boolean {
    return this.#learn({ kind, digest: this.#digest('name', namedBy(kind), name) });
  }

  /** Whether there are addresses of which it is not known yet whether others have them. */
  get hasNewEmails(): boolean {
    return this.#newEmails().length > 0;
  }

  /** Takes those addresses for addresses that nobody else has. */
  withholdNewEmails(): void {
    for (const digest of this.#newEmails()) this.#learn({ kind: 'sole_email', digest });
  }

  /** What a name becomes: always the same, and another one for each user id. */
  pseudonymOf(named: Named, name: string): string {
    return `forgotten-${this.#digest('pseudonym', named, name).toString('hex').slice(0, digitsOfPseudonym)}`;
  }

  #newEmails(): Buffer[] {
    return [...this.#known].flatMap(([key, kinds]) =>
      kinds.size === 1 && kinds.has('new_email') ? [digestIn(key)] : [],
    );
  }

  #learn(name: ForgottenName): boolean {
    if (!this.#add(name)) return false;
    this.#learned.push(name);
    return true;
  }

  #add({ kind, digest }: ForgottenName): boolean {
    const key = keyOf(namedBy(kind), digest);
    const kinds = this.#known.get(key);
    if (kinds?.has(kind) === true) return false;
    if (kinds === undefined) this.#known.set(key, new Set([kind]));
    else kinds.add(kind);
    this.#size += 1;
    return true;
  }

  #digest(purpose: 'name' | 'pseudonym', named: Named, name: string): Buffer {
    if (this.#digestOf === undefined)
      throw new TypeError('expected the key of the forgotten names, got none');
    return this.#digestOf(`${purpose}\0${named}\0${named === 'email' ? emailKey(name) : name}`);
  }
}

function namedBy(kind: NameKind): Named {
  return kind === 'user_id' ? 'user_id' : 'email';
}

function keyOf(named: Named, digest: Buffer): string {
  return `${named} ${digest.toString('base64')}`;
}

function digestIn(key: string): Buffer {
  return Buffer.from(key.slice(key.indexOf(' ') + 1), 'base64');
}
