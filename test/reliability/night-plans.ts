/** Random nights as data, so that fast-check can draw them, show them, and make a failing series of them smaller. */
import fc from 'fast-check';
import { endpoints } from '../support/installation.ts';
import { type Content, contents } from './odd-answers.ts';
import { type Paging, pagings } from './odd-pages.ts';

/** Ways to fail: a status, a connection that breaks, an answer that ends in the middle of its JSON. */
export const failures = ['500', 'reset', 'half an answer'] as const;
export type Failure = (typeof failures)[number];

/** What the platform says of an endpoint and day instead of what is true; a paging is for `/users` alone. */
export type Saying = Content | Paging | Failure;

/** Endpoints and days, counted from the night's yesterday backwards: 0 is yesterday. */
export interface Said {
  readonly of: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** A night before the platform recovers. */
export interface NightPlan {
  /** Command lines that run one after the other. None: the machine was off. */
  readonly commands: readonly string[];
  /** What changes for good before the night begins. */
  readonly restated: readonly (Said & { readonly as: Content })[];
  /** What is said in this night only; of two that meet the first counts. */
  readonly said: readonly (Said & { readonly as: Saying })[];
}

/** A series of nights. */
export interface Series {
  readonly seed: number;
  readonly pageSize: number;
  readonly windowDays: number;
  /** Endpoints that somebody asks for before the others. */
  readonly askedFirst: readonly string[];
  /** Days, counted from the first, for which some endpoints never have rows. */
  readonly unused: readonly { readonly of: readonly string[]; readonly day: number }[];
  readonly nights: readonly NightPlan[];
}

/** Days that the first night finds. */
export const daysBefore = 8;

const someEndpoints = fc.oneof(
  { weight: 3, arbitrary: fc.subarray([...endpoints], { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.subarray([...endpoints], { minLength: 3 }) },
);

function said<As>(as: fc.Arbitrary<As>): fc.Arbitrary<Said & { readonly as: As }> {
  return fc
    .record({ of: someEndpoints, from: fc.nat(8), days: fc.integer({ min: 1, max: 5 }), as })
    .map(({ days, ...each }) => ({ ...each, to: each.from + days - 1 }));
}

function namesOf<Name extends string>(each: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(each).filter((name): name is Name => name in each);
}

const content = fc.constantFrom(...namesOf(contents));
const failure = fc.constantFrom(...failures);
const paging = said(fc.constantFrom(...namesOf(pagings))).map((each) => ({ ...each, of: ['users'] }));
const late = fc
  .record({ of: someEndpoints, as: fc.constantFrom('empty' as const, 'a fifth of it' as const) })
  .map((each) => ({ ...each, from: 0, to: 0 }));

/** Some endpoints say that there is nothing, while the others fail. Of yesterday all is true: else no run would begin. */
const outage = fc
  .record({ of: someEndpoints, days: fc.integer({ min: 4, max: 12 }), failure })
  .map(({ of, days, failure: as }) => {
    const when = { from: 1, to: days };
    return [
      { of, ...when, as: 'empty' as const },
      { of: [...endpoints], ...when, as },
    ];
  });

const commands = fc.oneof(
  { weight: 8, arbitrary: fc.constant(['nightly']) },
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.constant(['nightly', 'nightly']) },
  { weight: 1, arbitrary: someEndpoints.map((of) => [`nightly --endpoints ${of.join(',')}`]) },
  { weight: 1, arbitrary: someEndpoints.map((of) => [`backfill --endpoints ${of.join(',')}`]) },
  {
    weight: 1,
    arbitrary: someEndpoints.map((of) => [`backfill --force --endpoints ${of.join(',')}`, 'nightly']),
  },
);

const night: fc.Arbitrary<NightPlan> = fc.record({
  commands,
  restated: fc.array(said(content), { maxLength: 1 }),
  said: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.array(
        fc.oneof(
          { weight: 4, arbitrary: said<Saying>(content) },
          { weight: 2, arbitrary: said<Saying>(failure) },
          { weight: 2, arbitrary: paging },
          { weight: 2, arbitrary: late },
        ),
        { maxLength: 5 },
      ),
    },
    { weight: 1, arbitrary: outage },
  ),
});

/** Any series of so many nights before the platform recovers. */
export function anySeries(nights: number): fc.Arbitrary<Series> {
  return fc.record({
    seed: fc.nat(1_000),
    pageSize: fc.integer({ min: 5, max: 40 }),
    windowDays: fc.integer({ min: 1, max: 7 }),
    askedFirst: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someEndpoints }),
    unused: fc.array(fc.record({ of: someEndpoints, day: fc.nat(daysBefore + nights + 3) }), {
      maxLength: 2,
    }),
    nights: fc.array(night, { minLength: nights, maxLength: nights }),
  });
}
