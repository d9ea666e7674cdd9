/** A value of a payload that is not parsed as a whole: its bytes are bounded, what they become in memory is not. */
import { type Extent, isArrayAt, isObjectAt, mostLevels } from './json-scan.ts';

/** A value as it came. */
export class UnparsedValue {
  protected readonly bytes: Buffer;
  protected readonly extent: Extent;
  readonly #why: string;

  /** `why` it was not parsed, after 'an object'; default its depth or its size. */
  constructor(bytes: Buffer, extent: Extent, why = whyNot(extent)) {
    this.bytes = bytes;
    this.extent = extent;
    this.#why = why;
  }

  /** Whether it is an array; else it is an object. */
  get isArray(): boolean {
    return isArrayAt(this.bytes, this.extent.start);
  }

  /** What came, where something else was expected. */
  get inWords(): string {
    return `${this.isArray ? 'an array' : 'an object'} ${this.#why}`;
  }

  /** What stands for it where a payload is shown. */
  toJSON(): string {
    return `[left out: ${this.inWords}]`;
  }
}

function whyNot({ start, end, isTooDeep }: Extent): string {
  return isTooDeep === true ? `nested more than ${mostLevels} levels deep` : `of ${end - start} bytes`;
}

/** Whether the value at `extent` has parts, which take more memory than their bytes. */
export function hasParts(bytes: Buffer, { start }: Extent): boolean {
  return isArrayAt(bytes, start) || isObjectAt(bytes, start);
}
