/** A value of a payload that is not parsed, because its objects would take too much memory. */
import { type Extent, isArrayAt, isObjectAt, mostLevels } from './json-scan.ts';

/** The bytes of an unparsed value. */
export class UnparsedValue {
  protected readonly bytes: Buffer;
  protected readonly extent: Extent;
  readonly #why: string;

  /** `why` ends the text 'an object …'; by default it tells the depth or the size of the value. */
  constructor(bytes: Buffer, extent: Extent, why = whyNot(extent)) {
    this.bytes = bytes;
    this.extent = extent;
    this.#why = why;
  }

  /** Whether it is an array; else it is an object. */
  get isArray(): boolean {
    return isArrayAt(this.bytes, this.extent.start);
  }

  /** The value in words, for error messages. */
  get inWords(): string {
    return `${this.isArray ? 'an array' : 'an object'} ${this.#why}`;
  }

  /** The text that replaces the value where a payload is shown. */
  toJSON(): string {
    return `[left out: ${this.inWords}]`;
  }
}

function whyNot({ start, end, isTooDeep }: Extent): string {
  return isTooDeep === true ? `nested more than ${mostLevels} levels deep` : `of ${end - start} bytes`;
}

/** Whether the value at `extent` is an array or an object, which take more memory than their bytes. */
export function hasParts(bytes: Buffer, { start }: Extent): boolean {
  return isArrayAt(bytes, start) || isObjectAt(bytes, start);
}
