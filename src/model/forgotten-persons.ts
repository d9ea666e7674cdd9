/**
 * Persons who are forgotten: known by digests under a key, and by nothing else. What names one of them gets a pseudonym,
 * always the same: two persons stay two, and what comes later reaches the same rows.
 */
import { isUtf8 } from 'node:buffer';
import { emailKey } from './email.ts';
import type { Door, LetThrough } from './foreign-text.ts';
import { replaceStrings } from './json-strings.ts';
import { keyedDigest } from './keyed-digest.ts';
import { replaceWords } from './person-words.ts';
import { withoutEmailsIn } from './withheld-emails.ts';

/** How a person may be named. */
export type NameKind = 'user_id' | 'email';

/** A name of a forgotten person, as it is kept. */
export interface ForgottenName {
  readonly kind: NameKind;
  /** HMAC-SHA-256 of the kind and the name, e-mails in the spelling of `emailKey`. */
  readonly digest: Buffer;
}

/** The fields of an object that name one person. */
const pairFields = ['user_id', 'user_email'] as const;
const digitsOfPseudonym = 20;
const pseudonymForm = /^forgotten-[\da-f]{20}$/;
/** Texts whose answer is remembered; a longer one is looked through each time. */
const mostRemembered = 100_000;
const longestRemembered = 200;

/** Whether a text is an e-mail as far as it matters here: what stands for 'unknown' must not become a name. */
function mayBeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** Whether a text is what a forgotten person is called. */
export function isPseudonym(text: string): boolean {
  return pseudonymForm.test(text);
}

/** All forgotten persons that this process knows of. */
export class ForgottenPersons {
  #digestOf: ((text: string) => Buffer) | undefined;
  readonly #known = new Map<string, ForgottenName>();
  /** Texts with what they become. */
  readonly #remembered = new Map<string, string>();
  /** Words that name nobody. */
  readonly #harmless = new Set<string>();
  #learned: ForgottenName[] = [];

  /** How many names are known. */
  get size(): number {
    return this.#known.size;
  }

  /** Takes names that are kept already. All of them are under one key. */
  know(key: Buffer, names: readonly ForgottenName[]): void {
    this.#digestOf = keyedDigest(key);
    for (const name of names) this.#known.set(keyOf(name), name);
    this.#forgetAnswers();
  }

  /** Forgets who is named so, as a user id and, where it is one, as an e-mail. Needs a key. */
  forget(name: string): void {
    this.#learn('user_id', name);
    if (mayBeEmail(name)) this.#learn('email', name);
  }

  /** The names that came to be known since this was last asked: they must be kept before anything else is. */
  takeLearned(): readonly ForgottenName[] {
    const learned = this.#learned;
    this.#learned = [];
    return learned;
  }

  /** Whether a whole text, such as a field of a file, names somebody who is forgotten. */
  isForgotten(name: string): boolean {
    return this.#pseudonymOf(name) !== undefined;
  }

  /** A text with pseudonyms for whom it names; any other text as it is. */
  inText(text: string): string {
    if (this.#known.size === 0) return text;
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered;
    const replaced = replaceWords(text, (word) => this.#pseudonymOfWord(word));
    if (text.length > longestRemembered) return replaced;
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(text, replaced);
    return replaced;
  }

  /**
   * The same for a JSON text, or for several with commas between them. Who stands beside a forgotten name in one object,
   * as user id or e-mail, is forgotten from then on, by that name, too.
   */
  inJson(bytes: Buffer): Buffer {
    // What is not UTF-8 is no answer.
    if (this.#known.size === 0 || !isUtf8(bytes)) return bytes;
    const json = bytes.toString('utf8');
    const replaced = this.inJsonText(json);
    return replaced === json ? bytes : Buffer.from(replaced);
  }

  /** The same for a text in memory. */
  inJsonText(json: string): string {
    if (this.#known.size === 0) return json;
    for (;;) {
      const before = this.#known.size;
      const replaced = replaceStrings(json, {
        pairFields,
        replace: (text) => this.inText(text),
        onPair: (userId, email) => this.noteBeside(userId, email),
      });
      // Whoever came to be known only now may stand further up.
      if (this.#known.size === before) return replaced;
    }
  }

  /** Says that a user id and an e-mail name the same person: where one is forgotten, so is the other. */
  noteBeside(userId: string, email: string): void {
    const [isKnownId, isKnownEmail] = [this.#has('user_id', userId), this.#has('email', email)];
    if (isKnownId && !isKnownEmail && mayBeEmail(email)) this.#learn('email', email);
    if (isKnownEmail && !isKnownId && userId !== '') this.#learn('user_id', userId);
  }

  /** A door that also hides who is forgotten. */
  behind(door: Door): Door {
    const behind =
      (letThrough: LetThrough): LetThrough =>
      (text, mostCharacters) =>
        letThrough(this.inText(text), mostCharacters);
    const { namingPersons, hideSecrets } = door;
    return Object.assign(behind(door), { namingPersons: behind(namingPersons), hideSecrets });
  }

  #pseudonymOfWord(word: string): string | undefined {
    if (this.#harmless.has(word)) return undefined;
    const pseudonym = this.#pseudonymOf(word);
    if (pseudonym === undefined && word.length <= longestRemembered) {
      if (this.#harmless.size >= mostRemembered) this.#harmless.clear();
      this.#harmless.add(word);
    }
    return pseudonym;
  }

  #forgetAnswers(): void {
    this.#remembered.clear();
    this.#harmless.clear();
  }

  #pseudonymOf(name: string): string | undefined {
    if (this.#known.size === 0 || name === '') return undefined;
    if (name.includes('@') && this.#has('email', name)) {
      // Another spelling has another one where e-mails are withheld.
      this.#learn('user_id', withoutEmailsIn(name));
      return this.#named('email', name);
    }
    return this.#has('user_id', name) ? this.#named('user_id', name) : undefined;
  }

  #named(kind: NameKind, name: string): string {
    return `forgotten-${this.#digest('pseudonym', kind, name).toString('hex').slice(0, digitsOfPseudonym)}`;
  }

  #has(kind: NameKind, name: string): boolean {
    return this.#known.has(keyOf({ kind, digest: this.#digest('name', kind, name) }));
  }

  #learn(kind: NameKind, name: string): void {
    // A row of which one half was rewritten when the program ended says nothing new.
    if (isPseudonym(name)) return;
    const learned = { kind, digest: this.#digest('name', kind, name) };
    if (this.#known.has(keyOf(learned))) return;
    this.#known.set(keyOf(learned), learned);
    this.#learned.push(learned);
    this.#forgetAnswers();
    // What stands for the address where e-mails are withheld is a digest without a key.
    if (kind === 'email')
      for (const spelling of [name, emailKey(name)]) this.#learn('user_id', withoutEmailsIn(spelling));
  }

  #digest(purpose: 'name' | 'pseudonym', kind: NameKind, name: string): Buffer {
    if (this.#digestOf === undefined)
      throw new TypeError('expected the key of the forgotten names, got none');
    const spelling = kind === 'email' ? emailKey(name) : name;
    return this.#digestOf(`${purpose}\0${kind}\0${spelling}`);
  }
}

function keyOf({ kind, digest }: ForgottenName): string {
  return `${kind} ${digest.toString('base64')}`;
}
