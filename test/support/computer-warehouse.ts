/** The rows about computers that the warehouse must have after the answers of some days, and the rows that it has. */
import type pg from 'pg';
import { z } from 'zod';

/** A record of the list as a test writes it. */
export type ComputerRecord = Readonly<Record<string, unknown>>;
/** The last list of each day, by day. */
export type Snapshots = Readonly<Record<string, readonly ComputerRecord[]>>;

const text = z.string().nullish();
const time = z.number().nullish();
const record = z.object({
  id: z.string(),
  name: text,
  providerType: text,
  createdAt: time,
  hostId: text,
  hostname: text,
  status: text,
  provisioningSteps: z
    .array(
      z.object({
        id: z.string(),
        name: text,
        status: text,
        error: text,
        startedAt: time,
        completedAt: time,
        installSessionId: text,
      }),
    )
    .nullish(),
  remoteUser: text,
  clonedRepoDirectories: z.array(z.string()).nullish(),
  ownerPrincipalKind: text,
  ownerId: text,
  computerSource: z.object({ kind: text, templateId: text }).nullish(),
});

type Rows = readonly (readonly unknown[])[];
type Tables = Readonly<Record<'dimension' | 'computers' | 'steps' | 'directories', Rows>>;

const sorted = (rows: Rows): Rows =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** A platform time as ISO 8601 text: a number below 1e11 is in seconds, any other one in milliseconds. */
function moment(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return new Date(value < 100_000_000_000 ? value * 1000 : value).toISOString();
}

/** The items without those that a later item with the same id replaces. */
function lastOfEach<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** The expected rows for these snapshots. */
export function expectedComputers(snapshots: Snapshots): Tables {
  const days = Object.keys(snapshots).sort();
  const all = days.flatMap((day) =>
    lastOfEach((snapshots[day] ?? []).map((each) => record.parse(each))).map((each) => ({ day, ...each })),
  );
  return {
    dimension: sorted(
      lastOfEach(all).map((each) => [
        each.id,
        each.name ?? null,
        each.providerType ?? null,
        moment(each.createdAt),
        each.computerSource?.kind ?? null,
        each.computerSource?.templateId ?? null,
        each.ownerPrincipalKind ?? null,
        each.ownerId ?? null,
        each.day,
      ]),
    ),
    computers: sorted(
      all.map((each) => [
        each.day,
        each.id,
        each.status ?? null,
        each.hostId ?? null,
        each.hostname ?? null,
        each.remoteUser ?? null,
        each.clonedRepoDirectories?.length ?? null,
      ]),
    ),
    steps: sorted(
      all.flatMap(({ day, id, provisioningSteps }) =>
        lastOfEach(provisioningSteps ?? []).map((step) => [
          day,
          id,
          step.id,
          step.name ?? null,
          step.status ?? null,
          step.error ?? null,
          moment(step.startedAt),
          moment(step.completedAt),
          step.installSessionId ?? null,
        ]),
      ),
    ),
    directories: sorted(
      all.flatMap(({ day, id, clonedRepoDirectories }) =>
        [...new Set(clonedRepoDirectories ?? [])].map((directory) => [day, id, directory]),
      ),
    ),
  };
}

/** The actual rows, with natural keys. */
export async function storedComputers(pool: pg.Pool): Promise<Tables> {
  const read = async (text: string) => sorted((await pool.query<unknown[]>({ text, rowMode: 'array' })).rows);
  const utc = (column: string) =>
    `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;
  const withComputer = 'join warehouse.dim_computer using (org_key, computer_key)';
  return {
    dimension:
      await read(`select computer_id, computer_name, provider_type, ${utc('created_at')}, source_kind,
      template_id, owner_principal_kind, owner_id, seen_date::text from warehouse.dim_computer`),
    computers: await read(`select snapshot_date::text, computer_id, status, host_id, hostname, remote_user,
      repository_count::integer from warehouse.fact_computer_daily ${withComputer}`),
    steps: await read(`select snapshot_date::text, computer_id, step_id, step_name, status, error,
      ${utc('started_at')}, ${utc('completed_at')}, install_session_id
      from warehouse.fact_computer_step_daily ${withComputer}`),
    directories: await read(`select snapshot_date::text, computer_id, directory
      from warehouse.bridge_computer_repository_daily ${withComputer}`),
  };
}
