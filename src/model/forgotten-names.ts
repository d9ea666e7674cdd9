/** The names of forgotten persons (user ids and e-mails): stored as keyed digests, each with what it means. */
import { randomBytes } from 'node:crypto';
import { emailKey } from './email.ts';
import { keyedDigest } from './keyed-digest.ts';
import { nameUnder } from './withheld-emails.ts';

/**
 * What a name means.
 * - `user_id`: this user is forgotten.
 * - `asked_email`: somebody asked to forget this address. Every user who has it, now or later, is forgotten.
 * - `sole_email`: only forgotten users ever had this address. It is removed from all rows, also from later users'.
 * - `shared_email`: a forgotten user had this address, and others had it, too. It is removed from that user's rows only.
 * - `new_email`: a forgotten user came with this address. It is not known yet whether it is sole or shared.
 */
export const nameKinds = ['user_id', 'asked_email', 'sole_email', 'shared_email', 'new_email'] as const;
export type NameKind = (typeof nameKinds)[number];

/** A name as it is stored. */
export interface ForgottenName {
  readonly kind: NameKind;
  /** HMAC-SHA-256 of `user_id` or `email` and the name itself; an e-mail is spelled as `emailKey` does. */
  readonly digest: Buffer;
}

/**
 * What to do with an address. `asked`: remove it everywhere and forget every user who has it. `withheld`: remove it
 * everywhere. `own`: remove it where the data is about a forgotten user, and nowhere else. `known`: nothing.
 */
export type AddressState = 'asked' | 'withheld' | 'own' | 'known';

/** User ids are compared exactly, e-mails by `emailKey`. */
type Named = 'user_id' | 'email';

const digitsOfPseudonym = 20;
/** The pseudonym in a row that could not be merged has numbers at the end, see `mergeRow`. */
const pseudonymForm = /^forgotten-[\da-f]{20}(?:-\d+)*$/;
const none: ReadonlySet<NameKind> = new Set();

/** Whether a text is the pseudonym of a forgotten person. */
export function isPseudonym(text: string): boolean {
  return pseudonymForm.test(text);
}

/** All names of forgotten persons that this process knows. */
export class ForgottenNames {
  readonly #onLearned: () => void;
  #digestOf: ((text: string) => Buffer) | undefined;
  /** Random until `useAddressKey` sets it, so that no digest is ever made under a key that can be guessed. */
  #addressKey: Buffer = randomBytes(32);
  readonly #known = new Map<string, Set<NameKind>>();
  #size = 0;
  #learned: ForgottenName[] = [];

  /** `onLearned` is called whenever new names are known. */
  constructor(onLearned: () => void) {
    this.#onLearned = onLearned;
  }

  /** The number of known names. A name with two kinds counts twice, as in `etl.forgotten_name`. */
  get size(): number {
    return this.#size;
  }

  /** Adds names that are stored already. `key` is the key of all their digests. */
  know(key: Buffer, names: readonly ForgottenName[]): void {
    this.#digestOf = keyedDigest(key);
    for (const name of names) this.#add(name);
    this.#onLearned();
  }

  /** Sets the key of the digests that replace addresses when `USER_EMAIL=none` is set. */
  useAddressKey(key: Buffer): void {
    this.#addressKey = key;
  }

  /** The digest that replaces an address when `USER_EMAIL=none` is set. */
  nameOfAddress(address: string): string {
    return nameUnder(this.#addressKey)(address);
  }

  /** Returns the names that were learned since the last call. */
  takeLearned(): readonly ForgottenName[] {
    const learned = this.#learned;
    this.#learned = [];
    return learned;
  }

  /** The kinds under which a name is known. */
  kindsOf(named: Named, name: string): ReadonlySet<NameKind> {
    return this.#size === 0
      ? none
      : (this.#known.get(keyOf(named, this.#digest('name', named, name))) ?? none);
  }

  /** What to do with an e-mail. */
  stateOf(email: string): AddressState {
    const kinds = this.kindsOf('email', email);
    if (kinds.has('asked_email')) return 'asked';
    if (kinds.has('sole_email')) return 'withheld';
    return kinds.size > 0 ? 'own' : 'known';
  }

  /** Learns a name. */
  learn(kind: NameKind, name: string): void {
    this.#learn({ kind, digest: this.#digest('name', namedBy(kind), name) });
  }

  /** Learns a user id. */
  learnUser(userId: string): void {
    // If the program stopped while it rewrote a row, the id may be a pseudonym already: it is no new name.
    if (!isPseudonym(userId)) this.learn('user_id', userId);
  }

  /** Learns an address that is removed everywhere, and the digests that replace it when `USER_EMAIL=none` is set. */
  learnEmail(kind: 'asked_email' | 'sole_email', email: string): void {
    this.learn(kind, email);
    for (const spelling of new Set([email, emailKey(email)])) this.learnNamesOf(spelling);
  }

  /** Learns the digest of this spelling of an address. With `USER_EMAIL=none` the digest may be stored as a user id. */
  learnNamesOf(address: string): void {
    this.learnUser(this.nameOfAddress(address));
  }

  /** Whether there are addresses of the kind `new_email`: nobody has checked yet whether they are sole or shared. */
  get hasNewEmails(): boolean {
    return this.#newEmails().length > 0;
  }

  /** Marks the addresses of the kind `new_email` as sole. */
  withholdNewEmails(): void {
    for (const digest of this.#newEmails()) this.#learn({ kind: 'sole_email', digest });
  }

  /** The pseudonym of a name: always the same, and a different one for each user id. */
  pseudonymOf(named: Named, name: string): string {
    return `forgotten-${this.#digest('pseudonym', named, name).toString('hex').slice(0, digitsOfPseudonym)}`;
  }

  #newEmails(): Buffer[] {
    return [...this.#known].flatMap(([key, kinds]) =>
      kinds.size === 1 && kinds.has('new_email') ? [digestIn(key)] : [],
    );
  }

  #learn(name: ForgottenName): void {
    if (!this.#add(name)) return;
    this.#learned.push(name);
    this.#onLearned();
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
