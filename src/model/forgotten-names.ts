/** The names of forgotten persons: digests under a key, and what each of them means. */
import { randomBytes } from 'node:crypto';
import { emailKey } from './email.ts';
import { keyedDigest } from './keyed-digest.ts';
import { guessableName, nameUnder, withoutGuessableNames } from './withheld-emails.ts';

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

/**
 * What becomes of an address. `asked`: withheld, and whoever has it is forgotten. `withheld`: from everybody. `own`: in
 * what is about a forgotten user, and nowhere else. `known`: nothing.
 */
export type AddressState = 'asked' | 'withheld' | 'own' | 'known';

/** A user id is exact, an e-mail is not. */
type Named = 'user_id' | 'email';

const digitsOfPseudonym = 20;
/** The second form is that of a row that could not be merged into the first, see `mergeRow`. */
const pseudonymForm = /^forgotten-[\da-f]{20}(?:-\d+)*$/;
const none: ReadonlySet<NameKind> = new Set();

/** Whether a text is what a forgotten person is called. */
export function isPseudonym(text: string): boolean {
  return pseudonymForm.test(text);
}

/** All names that this process knows of. */
export class ForgottenNames {
  readonly #onLearned: () => void;
  #digestOf: ((text: string) => Buffer) | undefined;
  /** Another one until that of the installation is known: what was called by it would never be met again. */
  #addressKey: Buffer = randomBytes(32);
  readonly #known = new Map<string, Set<NameKind>>();
  #size = 0;
  #learned: ForgottenName[] = [];

  /** `onLearned` is called when more names are known than before. */
  constructor(onLearned: () => void) {
    this.#onLearned = onLearned;
  }

  /** How many names are known; one that is known as two kinds counts twice, as in `etl.forgotten_name`. */
  get size(): number {
    return this.#size;
  }

  /** Takes names that are kept already. All of them are under one key. */
  know(key: Buffer, names: readonly ForgottenName[]): void {
    this.#digestOf = keyedDigest(key);
    for (const name of names) this.#add(name);
    this.#onLearned();
  }

  /** Takes the key under which addresses are called where none are stored (`USER_EMAIL=none`). */
  useAddressKey(key: Buffer): void {
    this.#addressKey = key;
  }

  /** What stands in the place of an e-mail address where none is stored. */
  nameOfAddress(address: string): string {
    const name = nameUnder(this.#addressKey)(address);
    // Who was forgotten before there was a key is known by what could be guessed, and never stored under it.
    const before = guessableName(address);
    return !this.#isKnownUser(name) && this.#isKnownUser(before) ? before : name;
  }

  /** A JSON text of an earlier version in which what stands for addresses is what does now. */
  withoutGuessableNames(json: Buffer): Buffer {
    return withoutGuessableNames(json, this.#addressKey);
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

  /** What becomes of an e-mail. */
  stateOf(email: string): AddressState {
    const kinds = this.kindsOf('email', email);
    if (kinds.has('asked_email')) return 'asked';
    // An earlier version kept what it was asked for as a user id, too.
    if (kinds.has('email'))
      return [email, emailKey(email)].some((name) => this.#isKnownUser(name)) ? 'asked' : 'withheld';
    if (kinds.has('sole_email')) return 'withheld';
    return kinds.size > 0 ? 'own' : 'known';
  }

  /** Keeps a name. */
  learn(kind: NameKind, name: string): void {
    this.#learn({ kind, digest: this.#digest('name', namedBy(kind), name) });
  }

  /** Keeps a user id. */
  learnUser(userId: string): void {
    // A row of which one half was rewritten when the program ended says nothing new.
    if (!isPseudonym(userId)) this.learn('user_id', userId);
  }

  /** Keeps an address that is withheld from everybody, with what stands for it where e-mails are withheld. */
  learnEmail(kind: 'asked_email' | 'sole_email', email: string): void {
    this.learn(kind, email);
    for (const spelling of new Set([email, emailKey(email)])) this.learnNamesOf(spelling);
  }

  /** Keeps what stands for an address where e-mails are withheld, also in an archive of an earlier version. */
  learnNamesOf(address: string): void {
    const before = guessableName(address);
    if (this.#isKnownUser(before)) return;
    this.learnUser(before);
    this.learnUser(nameUnder(this.#addressKey)(address));
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

  #isKnownUser(userId: string): boolean {
    return this.kindsOf('user_id', userId).has('user_id');
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
