/**
 * Replaces the names of forgotten persons by pseudonyms. The program knows these persons by keyed digests only. A name
 * always gets the same pseudonym: two persons stay two, and later data of a person reaches the same rows.
 */
import { isUtf8 } from 'node:buffer';
import { emailKey } from './email.ts';
import { type AddressState, type ForgottenName, ForgottenNames, isPseudonym } from './forgotten-names.ts';
import { type Position, replaceStrings } from './json-strings.ts';
import { replaceWords } from './person-words.ts';
import { RememberedAnswers } from './remembered-answers.ts';
import type { Sanitize, Sanitizer } from './sanitize.ts';

/** The fields of an object in an answer that name its user. */
export const ownerFields = { id: 'user_id', address: 'user_email' } as const;

/** Whether a text looks like an e-mail. A word such as 'unknown' in an e-mail field must not become a name. */
export function mayBeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** Whether a text may hold an e-mail. In a URL the @ of an address is `%40`. */
function mayHoldEmail(text: string): boolean {
  return /@|%(?:25)*40/.test(text);
}

/** All forgotten persons that this process knows. */
export class ForgottenPersons {
  readonly #names = new ForgottenNames(() => this.#forgetAnswers());
  #byAddress = 0;
  /** Texts that were looked at before, with their replacement. */
  readonly #texts = new RememberedAnswers<string>();
  /** Words that were looked at before, with their replacement; undefined if the word names no forgotten person. */
  readonly #words = new RememberedAnswers<string | undefined>();
  readonly #users = new RememberedAnswers<boolean>();
  readonly #addresses = new RememberedAnswers<AddressState>();

  /** The number of known names. */
  get size(): number {
    return this.#names.size;
  }

  /** Adds names that are stored already. `key` is the key of all their digests. */
  know(key: Buffer, names: readonly ForgottenName[]): void {
    this.#names.know(key, names);
  }

  /** Sets the key of the digests that replace addresses when `USER_EMAIL=none` is set. */
  useAddressKey(key: Buffer): void {
    this.#names.useAddressKey(key);
  }

  /** The digest that replaces an address when `USER_EMAIL=none` is set. */
  readonly nameOfAddress = (address: string): string => this.#names.nameOfAddress(address);

  /** Forgets every user who has this e-mail, now or later, or the user with this id. Call `know` first. */
  forget(name: string): void {
    if (mayBeEmail(name)) this.#names.learnEmail('asked_email', name);
    else this.#names.learnUser(name);
  }

  /** Forgets the user with this id, even if the id is an e-mail that others have. */
  forgetUser(userId: string): void {
    this.#names.learnUser(userId);
  }

  /** Removes an address of forgotten users everywhere (`sole`), or only where the data is about them (`shared`). */
  withhold(email: string, whose: 'sole' | 'shared'): void {
    if (whose === 'sole') this.#names.learnEmail('sole_email', email);
    else this.#names.learn('shared_email', email);
  }

  /** Returns the names that were learned since the last call. The caller must store them before any other data. */
  takeLearned(): readonly ForgottenName[] {
    return this.#names.takeLearned();
  }

  /** Returns how many users were forgotten since the last call because they came with an `asked_email`. */
  takeForgottenByAddress(): number {
    const byAddress = this.#byAddress;
    this.#byAddress = 0;
    return byAddress;
  }

  /** Whether a whole text, such as a field of a file, names a forgotten person. */
  isForgotten(name: string): boolean {
    return this.#pseudonymOf(name) !== undefined;
  }

  /** Whether a user is forgotten; a pseudonym counts, too. */
  isForgottenUser(userId: string): boolean {
    return this.#users.of(userId, () => isPseudonym(userId) || this.isForgotten(userId));
  }

  /** The text with pseudonyms instead of the names of forgotten persons. */
  inText(text: string): string {
    if (this.size === 0) return text;
    return this.#texts.of(text, () => replaceWords(text, (word) => this.#pseudonymOfWord(word)));
  }

  /** The user id, or its pseudonym. Two spellings of one e-mail are two user ids and get two pseudonyms. */
  inUserId(userId: string): string {
    const isSpelledOtherwise = mayBeEmail(userId) && userId !== emailKey(userId);
    if (this.size === 0 || !isSpelledOtherwise || !this.isForgottenUser(userId)) return this.inText(userId);
    return this.#names.pseudonymOf('user_id', userId);
  }

  /** The new value of an address next to a user id; null removes it. */
  addressBeside(userId: string, email: string): string | null {
    const isWithheld = ['asked', 'withheld'].includes(this.#addressState(email.trim()));
    const isForgotten = this.isForgottenUser(userId);
    const staysThere = isForgotten ? isWithheld || !mayHoldEmail(email) : !isWithheld;
    return staysThere ? this.inText(email) : null;
  }

  /**
   * Replaces the names in a JSON text, or in several that are separated by commas. Objects about a forgotten user also lose
   * the addresses of that user, even if others have them. A user next to an `asked_email` is forgotten from then on.
   */
  inJson(bytes: Buffer): Buffer {
    // An answer is always UTF-8; leave anything else unchanged.
    if (this.size === 0 || !isUtf8(bytes)) return bytes;
    const json = bytes.toString('utf8');
    const replaced = this.inJsonText(json);
    return replaced === json ? bytes : Buffer.from(replaced);
  }

  /** Like `inJson`, for a string. */
  inJsonText(json: string): string {
    if (this.size === 0) return json;
    const replace = (text: string, position: Position) =>
      position === 'id' ? this.inUserId(text) : this.inText(text);
    for (;;) {
      const before = this.size;
      const replaced = replaceStrings(json, {
        ownerFields,
        replace,
        dependsOnOwner: (text) => mayHoldEmail(text) && this.#inOwnText(text) !== this.inText(text),
        replaceOf: ({ id, address }) => {
          if (address !== undefined) this.noteBeside(id, address);
          const ofOwner = this.isForgottenUser(id) ? (text: string) => this.#inOwnText(text) : replace;
          return (text, position) =>
            position === 'address' ? this.addressBeside(id, text) : ofOwner(text, position);
        },
      });
      // A person who was learned just now may also occur further up: start again.
      if (this.size === before) return replaced;
    }
  }

  /**
   * Notes that a user has an address. If it is an `asked_email`, the user is forgotten. If the user is forgotten already,
   * the address is learned. If a forgotten user has the address, but this user is not forgotten, the address is shared.
   */
  noteBeside(userId: string, address: string): void {
    const email = address.trim();
    if (this.size === 0 || !mayBeEmail(email)) return;
    const state = this.#addressState(email);
    if (this.isForgottenUser(userId)) {
      if (state === 'known') this.#names.learn('new_email', email);
    } else if (state === 'asked' && userId !== '') {
      this.#names.learnUser(userId);
      this.#byAddress += 1;
    } else this.noteUseOfNew(userId, email);
  }

  /** Whether forgotten users came with new addresses: nobody has checked yet whether others have these, too. */
  get hasNewAddresses(): boolean {
    return this.#names.hasNewEmails;
  }

  /** Notes that a user has an address. If a forgotten user has it and this user is not forgotten, it is shared. */
  noteUseOfNew(userId: string, address: string): void {
    const email = address.trim();
    if (!mayBeEmail(email) || this.#addressState(email) !== 'own' || this.isForgottenUser(userId)) return;
    this.#names.learn('shared_email', email);
  }

  /** Marks the new addresses that nobody else has as sole: from then on they are removed everywhere. */
  withholdNewAddresses(): void {
    this.#names.withholdNewEmails();
  }

  /** Returns a sanitizer that replaces the names of forgotten persons, and then does what `sanitize` does. */
  behind(sanitize: Sanitizer): Sanitizer {
    const behind =
      (sanitizeWith: Sanitize): Sanitize =>
      (text, mostCharacters) =>
        sanitizeWith(this.inText(text), mostCharacters);
    const { namingPersons, hideSecrets } = sanitize;
    return Object.assign(behind(sanitize), { namingPersons: behind(namingPersons), hideSecrets });
  }

  /** Like `inText`, for data about a forgotten user: it also replaces the addresses that the user shares with others. */
  #inOwnText(text: string): string {
    if (!mayHoldEmail(text)) return this.inText(text);
    return replaceWords(text, (word) => {
      const pseudonym = this.#pseudonymOfWord(word);
      if (pseudonym !== undefined || this.#addressState(word) !== 'own') return pseudonym;
      return this.#names.pseudonymOf('email', word);
    });
  }

  #pseudonymOfWord(word: string): string | undefined {
    return this.#words.of(word, () => this.#pseudonymOf(word));
  }

  #pseudonymOf(name: string): string | undefined {
    if (this.size === 0 || name === '') return undefined;
    const state = this.#addressState(name);
    if (state === 'asked' || state === 'withheld') {
      // With USER_EMAIL=none each spelling of an address has its own digest, so learn the digest of this spelling, too.
      this.#names.learnNamesOf(name);
      return this.#names.pseudonymOf('email', name);
    }
    return this.#names.kindsOf('user_id', name).has('user_id')
      ? this.#names.pseudonymOf('user_id', name)
      : undefined;
  }

  #addressState(email: string): AddressState {
    if (!email.includes('@')) return 'known';
    return this.#addresses.of(email, () => this.#names.stateOf(email));
  }

  #forgetAnswers(): void {
    for (const answers of [this.#texts, this.#words, this.#users, this.#addresses]) answers.clear();
  }
}
