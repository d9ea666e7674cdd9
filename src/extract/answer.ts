/** A body as it came, parsed when somebody looks into it. */
import { hash } from 'node:crypto';
import { type ParsedJson, parseJson } from '../model/json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** A JSON answer with status 200. Its values are those of `parseJson`; asking for one throws when it is not JSON. */
export class Answer implements ParsedJson {
  /** The body, without the mark of its byte order that it may begin with. */
  readonly bytes: Buffer;
  /** SHA-256 of the bytes. */
  readonly digest: string;
  #parsed: ParsedJson | undefined;

  constructor(body: Buffer) {
    // Answers are archived one after the other, and within a text the mark would be a character of its own.
    const bytes = body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body;
    // What was read or decompressed at once lies in a larger buffer, which would be held with it.
    this.bytes = bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes;
    this.digest = hash('sha256', this.bytes);
  }

  get isParsed(): boolean {
    return this.#parsed !== undefined;
  }

  get value(): unknown {
    return this.parse().value;
  }

  get mayHoldUnstorableCharacters(): boolean {
    return this.parse().mayHoldUnstorableCharacters;
  }

  /** Parses the body, once. Throws `SyntaxError` or `TypeError` when it is not JSON in UTF-8. */
  parse(): ParsedJson {
    this.#parsed ??= parseJson(decodeUtf8(this.bytes));
    return this.#parsed;
  }
}

/** Decodes UTF-8, a further mark of byte order included. Throws `TypeError` for anything else. */
export function decodeUtf8(bytes: Buffer): string {
  return utf8.decode(bytes);
}
