/** Identifiers from numbers: the same numbers give the same identifier. */
import { hash } from './random.ts';

/** A UUID in the form of version 4. Another `kind` gives other ids for the same numbers. */
export function uuidOf(seed: number, kind: number, number: number): string {
  const hex = [0, 1, 2, 3]
    .map((part) =>
      hash(seed, kind * 4 + part, number)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** 40 hexadecimal digits, as Git names a commit. */
export function commitOf(seed: number, number: number): string {
  return [0, 1, 2, 3, 4]
    .map((part) =>
      hash(seed, 700 + part, number)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
}
