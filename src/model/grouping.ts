/**
 * Answers with `group_by`: the platform gives a breakdown a second time, one row per day and group (platform-api.md
 * §4.2).
 */
import type { z } from 'zod';
import type { ExactNumber } from './json.ts';
import type { Table } from './table.ts';

/** One row of a grouped answer: day, group and figures. */
export type GroupedRow = Readonly<Record<string, string | number | ExactNumber | null | undefined>> & {
  readonly date: string;
  readonly group_key: string;
};

/** A `group_by` request and the stored breakdown that must agree with it. */
export interface Grouping {
  /** Value of the query parameter `group_by`. */
  readonly groupBy: string;
  readonly row: z.ZodType<GroupedRow>;
  /** The table that stores the same breakdown; the first of its own keys is the group. */
  readonly table: Table;
  /** The column of the dimension that holds the values of `group_key`; rows with the same value form one group. */
  readonly groupColumn: string;
  /** The figures that must agree: table column → field of the grouped row. */
  readonly figures: Readonly<Record<string, string>>;
}
