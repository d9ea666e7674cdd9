/** Makes Postgres end the connection that reaches a certain point of its work, once. */
import type pg from 'pg';

/** Breaks the connection that writes the given row of a fact, counted over all connections from 1. */
export async function breakAtRow(pool: pg.Pool, table: string, row: number): Promise<void> {
  await pool.query(`
    ${breakingFunction(row)}
    create trigger break before insert or update on warehouse.${table}
      for each row execute function public.break()`);
}

/** Breaks the connection that commits the given ledger row, counted over all connections from 1. */
export async function breakAtCommit(pool: pg.Pool, ledgerRow = 1): Promise<void> {
  await pool.query(`
    ${breakingFunction(ledgerRow)}
    create constraint trigger break after insert or update on etl.slice
      deferrable initially deferred for each row execute function public.break()`);
}

/** How often the point was reached. One more than the break point means that the work was repeated. */
export async function timesReached(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ reached: string }>(
    'select last_value as reached from public.point_reached where is_called',
  );
  return Number(rows[0]?.reached ?? 0);
}

/** A rollback does not reset a sequence, so the second try succeeds. */
function breakingFunction(time: number): string {
  return `
    create sequence public.point_reached;
    create function public.break() returns trigger language plpgsql as $$
      begin
        if nextval('public.point_reached') = ${time} then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(60);
        end if;
        return new;
      end $$;`;
}
