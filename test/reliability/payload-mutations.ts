/** Payload rows with one part, or a few, changed into something that the platform should never send. */
import fc from 'fast-check';
import { writtenAs } from '../support/exact-json.ts';

/** A change of one part of a JSON value; the part is chosen by `at`, whatever the value's shape. */
export interface Mutation {
  readonly at: readonly number[];
  readonly kind: 'delete' | 'rename' | 'replace' | 'add' | 'double';
  readonly name: string;
  readonly value: unknown;
}

const hostileNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'a.b',
  'x\0y',
  '\ud800',
  '💥',
];
const numbers = ['0', '-0.5', '-1', '0.5', '3.0', '1e3', '1e21', '1e308', '1e400', '9007199254740991']
  .concat('9007199254740992', '9007199254740993', '9007199254740994', '9223372036854775807')
  .concat('9223372036854775808', '123456789012345678901234567890', '0.1234567890123456789012345')
  .concat('1.2345678901234567e-400', '1.2345678901234567e200000', `0.${'1'.repeat(17_000)}`, '5e-324');

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...numbers).map((digits) => writtenAs(digits)),
  fc.constantFrom(
    'NaN',
    'Infinity',
    '12',
    '-1',
    'null',
    '\0',
    '\ud800',
    'é\u0301',
    '\\N',
    '\t\n\r',
    '\u202e',
  ),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], ['x'], { key: 1 }, { 0: 'x' }),
  fc.constantFrom(...hostileNames).map((name) => Object.fromEntries([[name, { [name]: 1 }]])),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** One mutation of a row, at any depth. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.array(fc.nat(1_000), { minLength: 0, maxLength: 5, size: 'max' }),
  kind: fc.constantFrom('delete', 'rename', 'replace', 'replace', 'replace', 'add', 'double'),
  name: fc.oneof(fc.constantFrom(...hostileNames), fc.string({ maxLength: 12 })),
  value,
});

/** The value with one part changed; the value itself stays as it is. */
export function mutated(subject: unknown, { at, kind, name, value: other }: Mutation): unknown {
  const [choice, ...rest] = at;
  if (Array.isArray(subject)) {
    if (choice === undefined || subject.length === 0) return kind === 'add' ? [...subject, other] : other;
    const index = choice % subject.length;
    if (rest.length > 0)
      return subject.with(index, mutated(subject[index], { at: rest, kind, name, value: other }));
    if (kind === 'delete') return subject.toSpliced(index, 1);
    if (kind === 'double') return [...subject, subject[index]];
    return kind === 'add' ? [...subject, other] : subject.with(index, other);
  }
  if (typeof subject !== 'object' || subject === null || choice === undefined) return other;
  const entries = Object.entries(subject);
  const containers = [...entries.keys()].filter((position) => typeof entries[position]?.[1] === 'object');
  // On the way down prefer what has parts: else nearly every mutation would hit a figure of the row itself.
  const candidates = rest.length > 0 && containers.length > 0 ? containers : [...entries.keys()];
  const index = candidates[choice % Math.max(1, candidates.length)] ?? 0;
  const [field, item] = entries[index] ?? ['', undefined];
  const change = (...replacement: [string, unknown][]) =>
    Object.fromEntries(entries.toSpliced(index, 1, ...replacement));
  if (rest.length > 0) return change([field, mutated(item, { at: rest, kind, name, value: other })]);
  if (kind === 'delete') return change();
  if (kind === 'rename') return change([name, item]);
  return kind === 'add' ? change([field, item], [name, other]) : change([field, other]);
}
