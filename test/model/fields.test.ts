import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { kindOf } from '../../src/model/field-kind.ts';
import {
  calendarDay,
  count,
  credits,
  flag,
  integer,
  name,
  optionalText,
  ratio,
  textOr,
  timestamp,
  uuid,
  wholeNumber,
} from '../../src/model/fields.ts';
import { ExactNumber } from '../../src/model/json.ts';

const exact = (text: string) => new ExactNumber(text);

describe('a count', () => {
  it.each([0, 1, 2 ** 53, 1e16, 2 ** 63 - 1024, exact('9007199254740993'), exact('9223372036854775807')])(
    'may be %s',
    (value) => {
      expect(count.safeParse(value).success).toBe(true);
    },
  );

  it.each([
    -1,
    0.5,
    2 ** 63,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    exact('9223372036854775808'),
    exact('1.00000000000000001'),
    exact('-12345678901234567'),
    '1',
    true,
    {},
    [],
  ])('may not be %s', (value) => {
    expect(count.safeParse(value).success).toBe(false);
  });
});

describe.each([
  ['credits', credits],
  ['a ratio', ratio],
])('%s', (_, field) => {
  it.each([0, 0.1, 1e300, exact('12345678901234567.89'), exact('0.00000000000000000')])(
    'may be %s',
    (value) => {
      expect(field.safeParse(value).success).toBe(true);
    },
  );

  it.each([
    -0.1,
    Number.POSITIVE_INFINITY,
    exact('-0.12345678901234567'),
    exact('1.2345678901234567e999'),
    exact('1.2345678901234567e-999'),
    '1',
  ])('may not be %s', (value) => {
    expect(field.safeParse(value).success).toBe(false);
  });
});

it('a figure or an optional text may be null or absent, a name may not', () => {
  for (const absent of [null, undefined]) {
    for (const field of [count, credits, ratio, optionalText]) expect(field.parse(absent)).toBe(absent);
    expect(textOr('instead').parse(absent)).toBe('instead');
    expect(name.safeParse(absent).success).toBe(false);
  }
  expect(name.parse('')).toBe('');
  expect(textOr('instead').parse('')).toBe('');
});

it('every kind decides the same with and without zod', () => {
  const values = [
    null,
    undefined,
    0,
    -1,
    0.5,
    1e16,
    2 ** 63,
    Number.NaN,
    '',
    'a',
    true,
    [],
    {},
    exact('1.5'),
    exact('12345678901234567'),
    false,
    -(2 ** 31),
    2 ** 31,
    -0,
    1_770_000_000.5,
    exact('1770000000.12345678'),
    exact(`1${'0'.repeat(400)}`),
    '2026-03-09',
    '0000-01-01',
    '0190F5A0-7c3e-7abc-8def-0123456789ab',
    '0190f5a07c3e7abc8def0123456789ab',
    { inner: 'a' },
    { inner: 7 },
    { other: 1 },
  ];
  const kinds = [count, credits, ratio, name, optionalText, textOr('x')];
  const others = [integer, wholeNumber, flag, timestamp, calendarDay, uuid, z.object({ inner: name })];
  for (const field of [
    ...kinds,
    ...others,
    ...others.flatMap((each) => [each.optional(), each.nullable(), each.nullish()]),
  ])
    for (const value of values)
      expect(kindOf(field).accepts(value), String(value)).toBe(field.safeParse(value).success);
});

it('a refusal says what was expected and what came, without all of a long text', () => {
  const message = (value: unknown) => count.safeParse(value).error?.issues[0]?.message;
  expect(message(-1)).toBe('expected a whole number, zero or more, got -1');
  expect(message([])).toBe('expected a whole number, zero or more, got an array');
  expect(message(exact('99999999999999999999'))).toBe(
    'expected a whole number, zero or more, got 99999999999999999999',
  );
  expect(message('x'.repeat(1000))?.length).toBeLessThan(120);
});

it('the kind of a figure decides its column', () => {
  expect([count, credits, ratio, name].map((field) => kindOf(field).sqlType)).toEqual([
    'bigint',
    'numeric',
    'double precision',
    'text',
  ]);
});

it('what an accepted value means is the same with and without zod, absent ones included', () => {
  for (const [field, value, meaning] of [
    [timestamp, 1_770_000_000, '2026-02-02T02:40:00.000Z'],
    [timestamp, exact('1770000000123.4567891'), '2026-02-02T02:40:00.123457Z'],
    [timestamp, exact('-0.00000010000000000000'), '1970-01-01T00:00:00.000000Z'],
    [timestamp.nullish(), null, null],
    [uuid.optional(), '0190F5A0-7C3E-7ABC-8DEF-0123456789AB', '0190f5a0-7c3e-7abc-8def-0123456789ab'],
    [textOr('x').nullish(), 'a', 'a'],
  ] as const) {
    expect(kindOf(field).convert?.(value)).toBe(meaning);
    expect(field.parse(value)).toBe(meaning);
  }
});

it('a field that is optional by zod may be absent without that being drift', () => {
  expect(
    [name, name.nullable(), name.optional(), name.nullish()].map((field) => kindOf(field).mayBeAbsent),
  ).toEqual([false, false, true, true]);
  expect(kindOf(name.nullish()).sqlType).toBe('text');
});
