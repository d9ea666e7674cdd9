/** For tests that write the answer of the platform for a day themselves. */
import { type Day, day } from '../../src/model/day.ts';
import { loadInProcess } from './commands-in-process.ts';
import { expectedWarehouse } from './expected-warehouse.ts';
import { type Installation, organization } from './installation.ts';
import { storedWarehouse } from './stored-warehouse.ts';

/** The only day whose answers these tests write, and which they load. */
export const writtenDay: Day = day('2026-01-19');

/** A record or entry as the platform sends it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Sets the answer for the written day in a dataset. */
export function answer({ dataset }: Installation, endpoint: string, rows: readonly Fields[]): void {
  dataset.overrideRows(
    endpoint,
    writtenDay,
    rows.map((row) => ({ date: writtenDay, ...row })),
  );
}

/** The expected warehouse after loading only the written day of one endpoint, with these rows. */
export function expectedOf(endpoint: string, rows: readonly Fields[]) {
  return expectedWarehouse(organization, [{ endpoint, day: writtenDay, rows }]);
}

/** The actual warehouse, in the same form as `expectedOf`. */
export const storedOf = ({ database }: Installation) => storedWarehouse(database.pool);

/** Loads the written day of an endpoint, if it is not loaded yet. */
export function loadDay(
  installation: Installation,
  endpoint: string,
  environment: Readonly<Record<string, string>> = {},
) {
  const commandLine = `backfill --from ${writtenDay} --to ${writtenDay} --endpoints ${endpoint}`;
  return loadInProcess(installation, commandLine, { environment });
}

/** Reads the written day again with `backfill --force`. */
export function readAgain(
  installation: Installation,
  endpoint: string,
  environment: Readonly<Record<string, string>> = {},
  options = '',
) {
  const commandLine = `backfill --from ${writtenDay} --to ${writtenDay} --endpoints ${endpoint} --force${options}`;
  return loadInProcess(installation, commandLine, { environment });
}

/** A list of entries; `make` gets the number of each. */
export function many<Entry>(count: number, make: (index: number) => Entry): Entry[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** An entry of `by_model`. */
export const ofModel = (model_id: string, credits: unknown): Fields => ({
  model_id,
  model_tier: 'standard',
  billable_tokens: credits,
  input_tokens: 3,
  output_tokens: 4,
});
