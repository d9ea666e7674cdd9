/** The second way in which the platform tells a breakdown: `group_by`, one row per day and group (platform-api.md §4.2). */
import type { z } from 'zod';
import type { ExactNumber } from './json.ts';
import type { Table } from './table.ts';

/** One row of a grouped answer: its day, its group, and figures. */
export type GroupedRow = Readonly<Record<string, string | number | ExactNumber | null | undefined>> & {
  readonly date: string;
  readonly group_key: string;
};

/** What to ask with `group_by`, and which stored breakdown must say the same. */
export interface Grouping {
  /** Value of the query parameter `group_by`. */
  readonly groupBy: string;
  readonly row: z.ZodType<GroupedRow>;
  /** The table that holds the same breakdown; its own first key names the group. */
  readonly table: Table;
  /** Column of the dimension that `group_key` names; rows of the table that share it are one group. */
  readonly groupColumn: string;
  /** What must agree: column of the table → field of the grouped row. */
  readonly figures: Readonly<Record<string, string>>;
}
