/**
 * Persons who are forgotten: known by digests under a key, and by nothing else. What names one of them gets a pseudonym,
 * always the same: two persons stay two, and what comes later reaches the same rows.
 */
import { isUtf8 } from 'node:buffer';
import { emailKey } from './email.ts';
import { type AddressState, type ForgottenName, ForgottenNames, isPseudonym } from './forgotten-names.ts';
import { type Position, replaceStrings } from './json-strings.ts';
import { replaceWords } from './person-words.ts';
import { RememberedAnswers } from './remembered-answers.ts';
import type { Sanitize, Sanitizer } from './sanitize.ts';

/** The fields by which an object of an answer says which user it is about. */
export const ownerFields = { id: 'user_id', address: 'user_email' } as const;

/** Whether a text is an e-mail as far as it matters here: what stands for 'unknown' must not become a name. */
export function mayBeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** `%40` is how an address is written in a URL. */
function mayHoldEmail(text: string): boolean {
  return /@|%(?:25)*40/.test(text);
}

/** All forgotten persons that this process knows of. */
export class ForgottenPersons {
  readonly #names = new ForgottenNames(() => this.#forgetAnswers());
  #byAddress = 0;
  /** Texts with what they become. */
  readonly #texts = new RememberedAnswers<string>();
  /** Words with what they become; undefined for those that name nobody. */
  readonly #words = new RememberedAnswers<string | undefined>();
  readonly #users = new RememberedAnswers<boolean>();
  readonly #addresses = new RememberedAnswers<AddressState>();

  /** How many names are known. */
  get size(): number {
    return this.#names.size;
  }

  /** Takes names that are kept already. All of them are under one key. */
  know(key: Buffer, names: readonly ForgottenName[]): void {
    this.#names.know(key, names);
  }

  /** Takes the key under which addresses are called where none are stored (`USER_EMAIL=none`). */
  useAddressKey(key: Buffer): void {
    this.#names.useAddressKey(key);
  }

  /** What stands in the place of an e-mail address where none is stored. */
  readonly nameOfAddress = (address: string): string => this.#names.nameOfAddress(address);

  /** A JSON text of an earlier version in which what stands for addresses is what does now. */
  withoutGuessableNames(json: Buffer): Buffer {
    return this.#names.withoutGuessableNames(json);
  }

  /** Forgets who is named so: an e-mail means whoever has it, also later; anything else is a user id. Needs a key. */
  forget(name: string): void {
    if (mayBeEmail(name)) this.#names.learnEmail('asked_email', name);
    else this.#names.learnUser(name);
  }

  /** Forgets a user, and with the user nobody else. */
  forgetUser(userId: string): void {
    this.#names.learnUser(userId);
  }

  /** Keeps an address of forgotten users away from everything (`sole`), or from what is about them (`shared`). */
  withhold(email: string, whose: 'sole' | 'shared'): void {
    if (whose === 'sole') this.#names.learnEmail('sole_email', email);
    else this.#names.learn('shared_email', email);
  }

  /** The names that came to be known since this was last asked: they must be kept before anything else is. */
  takeLearned(): readonly ForgottenName[] {
    return this.#names.takeLearned();
  }

  /** How many users were forgotten since this was last asked because they came with an address that was asked for. */
  takeForgottenByAddress(): number {
    const byAddress = this.#byAddress;
    this.#byAddress = 0;
    return byAddress;
  }

  /** Whether a whole text, such as a field of a file, names somebody who is forgotten. */
  isForgotten(name: string): boolean {
    return this.#pseudonymOf(name) !== undefined;
  }

  /** Whether a user is forgotten, or has been called by a pseudonym already. */
  isForgottenUser(userId: string): boolean {
    return this.#users.of(userId, () => isPseudonym(userId) || this.isForgotten(userId));
  }

  /** A text with pseudonyms for whom it names; any other text as it is. */
  inText(text: string): string {
    if (this.size === 0) return text;
    return this.#texts.of(text, () => replaceWords(text, (word) => this.#pseudonymOfWord(word)));
  }

  /** What a user is called. User ids are exact, also those that are an e-mail: two of them stay two. */
  inUserId(userId: string): string {
    const isSpelledOtherwise = mayBeEmail(userId) && userId !== emailKey(userId);
    if (this.size === 0 || !isSpelledOtherwise || !this.isForgottenUser(userId)) return this.inText(userId);
    // An earlier version gave all spellings one pseudonym.
    if (this.#names.kindsOf('email', userId).has('email')) return this.inText(userId);
    return this.#names.pseudonymOf('user_id', userId);
  }

  /** What becomes of the address that stands beside a user id; null where it is taken away. */
  addressBeside(userId: string, email: string): string | null {
    const isWithheld = ['asked', 'withheld'].includes(this.#addressState(email.trim()));
    const isForgotten = this.isForgottenUser(userId);
    const staysThere = isForgotten ? isWithheld || !mayHoldEmail(email) : !isWithheld;
    return staysThere ? this.inText(email) : null;
  }

  /**
   * The same for a JSON text, or for several with commas between them. Of what is about a forgotten user their addresses
   * go, too, whoever else has them. Users who stand beside an address that was asked for are forgotten from then on.
   */
  inJson(bytes: Buffer): Buffer {
    // What is not UTF-8 is no answer.
    if (this.size === 0 || !isUtf8(bytes)) return bytes;
    const json = bytes.toString('utf8');
    const replaced = this.inJsonText(json);
    return replaced === json ? bytes : Buffer.from(replaced);
  }

  /** The same for a text in memory. */
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
      // Whoever came to be known only now may stand further up.
      if (this.size === before) return replaced;
    }
  }

  /**
   * Says that a user has an address: where that was asked for, the user is forgotten; of a forgotten user it is one more
   * address, and shared where somebody else has it, too.
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

  /** Whether forgotten users came with addresses of which it is not known yet whether others have them, too. */
  get hasNewAddresses(): boolean {
    return this.#names.hasNewEmails;
  }

  /** Says that a user has an address: if it is one of those, and the user is not forgotten, it is shared. */
  noteUseOfNew(userId: string, address: string): void {
    const email = address.trim();
    if (!mayBeEmail(email) || this.#addressState(email) !== 'own' || this.isForgottenUser(userId)) return;
    this.#names.learn('shared_email', email);
  }

  /** Of which nobody said so, only forgotten users have: they are withheld everywhere from then on. */
  withholdNewAddresses(): void {
    this.#names.withholdNewEmails();
  }

  /** A sanitizer that also hides who is forgotten. */
  behind(sanitize: Sanitizer): Sanitizer {
    const behind =
      (sanitizeWith: Sanitize): Sanitize =>
      (text, mostCharacters) =>
        sanitizeWith(this.inText(text), mostCharacters);
    const { namingPersons, hideSecrets } = sanitize;
    return Object.assign(behind(sanitize), { namingPersons: behind(namingPersons), hideSecrets });
  }

  /** A text in what is about a forgotten user: with pseudonyms for the user's own addresses, too. */
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
      // Another spelling has another one where e-mails are withheld.
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
