/** Makes Postgres end one connection, when it reaches a certain point of its work. */
import type pg from 'pg';

/** Ends the connection that writes row number `row` of a fact. Rows of all connections are counted, from 1. */
export async function breakAtRow(pool: pg.Pool, table: string, row: number): Promise<void> {
  await pool.query(`
    ${breakingFunction(row)}
    create trigger break before insert or update on warehouse.${table}
      for each row execute function public.break()`);
}

/** Ends the connection that commits row number `ledgerRow` of the ledger. Rows of all connections are counted, from 1. */
export async function breakAtCommit(pool: pg.Pool, ledgerRow = 1): Promise<void> {
  await pool.query(`
    ${breakingFunction(ledgerRow)}
    create constraint trigger break after insert or update on etl.slice
      deferrable initially deferred for each row execute function public.break()`);
}

/** How often the point was reached. More often than the given number means that the work was repeated. */
export async function timesReached(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ reached: string }>(
    'select last_value as reached from public.point_reached where is_called',
  );
  return Number(rows[0]?.reached ?? 0);
}

/** Counts with a sequence, which a rollback does not reset: so the second try is not broken. */
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
