/** The rows that a simulator serves, by endpoint and day: rows of a generator, rows of tests, or none. */
import type { Day } from '../model/day.ts';
import type { Generator } from './generate.ts';
import { groupRows } from './grouping.ts';
import { type AnalyticsEndpoint, analyticsEndpoints } from './rows.ts';

/** The rows that a simulator serves. They are `unknown`, because tests serve malformed rows on purpose. */
export interface Dataset {
  /** A number that changes when rows of any day change, so that a server can clear its cache. */
  readonly version: number;
  /** The rows of one day; for `/users` those of all pages. Throws `RangeError` for an unknown endpoint. */
  rows(endpoint: string, day: Day): readonly unknown[];
  /** The rows of one day with `group_by`. Throws `RangeError` for an endpoint without grouping. */
  groupedRows(endpoint: string, day: Day): readonly unknown[];
  /** The `/users` rows of a day whose user id is after `cursor`, sorted by user id. Rows are made one by one. */
  usersAfter(day: Day, cursor: string | undefined): Iterable<unknown>;
}

/** A dataset without rows, as a base for overrides. */
export const emptyDataset: Dataset = {
  version: 0,
  rows: () => [],
  groupedRows: () => [],
  usersAfter: () => [],
};

/** The dataset with the rows of a generator. */
export function generatedDataset(generator: Generator): Dataset {
  function rows(endpoint: string, day: Day): readonly unknown[] {
    const name = analyticsEndpointOf(endpoint);
    if (name === 'users') return Array.from(generator.usersAfter(day));
    return present(generator[name](day));
  }
  function groupedRows(endpoint: string, day: Day): readonly unknown[] {
    return groupRows(
      endpoint,
      endpoint === 'tokens' ? present(generator.tokenTotals(day)) : rows(endpoint, day),
    );
  }
  return {
    version: 0,
    rows,
    groupedRows,
    usersAfter: (day, cursor) => generator.usersAfter(day, cursor),
  };
}

/** A dataset in which tests can replace single days, for example by changed, missing or malformed rows. */
export class OverridableDataset implements Dataset {
  readonly #base: Dataset;
  readonly #overrides = new Map<string, readonly unknown[]>();
  #changes = 0;

  constructor(base: Dataset = emptyDataset) {
    this.#base = base;
  }

  get version(): number {
    return this.#base.version + this.#changes;
  }

  /** Serves `rows` for this endpoint and day instead of the rows of `base`; undefined serves those of `base` again. */
  overrideRows(endpoint: string, day: Day, rows: readonly unknown[] | undefined): void {
    const key = `${analyticsEndpointOf(endpoint)} ${day}`;
    if (rows === undefined) this.#overrides.delete(key);
    else this.#overrides.set(key, rows);
    this.#changes++;
  }

  rows(endpoint: string, day: Day): readonly unknown[] {
    return this.#overrides.get(`${endpoint} ${day}`) ?? this.#base.rows(endpoint, day);
  }

  groupedRows(endpoint: string, day: Day): readonly unknown[] {
    const overridden = this.#overrides.get(`${endpoint} ${day}`);
    return overridden === undefined ? this.#base.groupedRows(endpoint, day) : groupRows(endpoint, overridden);
  }

  usersAfter(day: Day, cursor: string | undefined): Iterable<unknown> {
    const overridden = this.#overrides.get(`users ${day}`);
    if (overridden === undefined) return this.#base.usersAfter(day, cursor);
    return overridden
      .filter((row) => cursor === undefined || userIdOf(row) > cursor)
      .sort((left, right) => compare(userIdOf(left), userIdOf(right)));
  }
}

/** The user id of a `/users` row as text; empty without one. */
export function userIdOf(row: unknown): string {
  if (typeof row !== 'object' || row === null || !('user_id' in row)) return '';
  return String(row.user_id);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function analyticsEndpointOf(name: string): AnalyticsEndpoint {
  const endpoint = analyticsEndpoints.find((known) => known === name);
  if (endpoint === undefined)
    throw new RangeError(`expected one of ${analyticsEndpoints.join(', ')}, got ${JSON.stringify(name)}`);
  return endpoint;
}

function present<Row>(row: Row | undefined): readonly Row[] {
  return row === undefined ? [] : [row];
}
