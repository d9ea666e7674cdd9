/** `demo`: loads a simulated platform into a database of its own in the embedded Postgres. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { addDays, type DayRange, laterOf, today } from '../../model/day.ts';
import type { RunReport } from '../../model/run-report.ts';
import { textTable } from '../../reporting/text-table.ts';
import { simulatorFromSeed } from '../../simulator/from-seed.ts';
import { sources } from '../../sources/registry.ts';
import { connect, withSession } from '../../warehouse/connection/connection.ts';
import { migrate } from '../../warehouse/migrations/migrations.ts';
import { askAsAnalyst, readQuestions } from '../../warehouse/questions.ts';
import { sqlDirectory } from '../../warehouse/sql-files.ts';
import { runLoadJob } from '../loading/load-slices.ts';
import { planBackfill } from '../plan/plan.ts';
import { connectionsOfRun } from '../runs/connections-of-run.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { dataDirectory, openWarehouse, type Warehouse, warehouseProblem } from '../runs/open-warehouse.ts';

/** An open demo. */
export interface Demo {
  readonly report: RunReport;
  /** Figures of the warehouse, and some questions with their answers, as text. */
  readonly figures: string;
  /** The file of a page about its last days; undefined if the load was stopped before. */
  readonly page: string | undefined;
  /** The URL of the demo's database, with its password. */
  readonly url: string;
  /** The folder with a select for each question. */
  readonly questions: string;
  close(): Promise<void>;
}

const demoKey = 'demo-key';
/** The name of a demo's database: `demo`, `demo_2`, … Real runs and other demos use other databases. */
const nameOfDatabase = (number: number) => (number === 1 ? 'demo' : `demo_${number}`);
/** The advisory lock on its database that a demo holds while it is up. */
const demoLock = 4711;
/** The page begins so many days before the last day. */
const daysOfPage = 90;
/** The simulator runs in this process, so a small rate budget is not necessary. */
const demoRate = { requestsPerSecond: 1000, maxConcurrency: 4 };

/** Simulates an organization with so many users and loads every day of `range`. */
export async function runDemo(
  surroundings: JobSurroundings,
  { users, range }: { readonly users: number; readonly range: DayRange },
): Promise<Demo> {
  const { log } = surroundings;
  const simulator = await simulatorFromSeed({ seed: 1, users, from: range.from, apiKey: demoKey, port: 0 });
  const platform = { baseUrl: new URL(simulator.url), apiKey: demoKey };
  const config = { ...surroundings.config, ...demoRate, platform, appUrl: platform.baseUrl };
  let opened: OpenDatabase | undefined;
  const close = async () => {
    await opened?.close();
    await simulator.close();
  };
  try {
    opened = await openDatabaseOfDemo(surroundings);
    const { warehouse } = opened;
    await migrate(warehouse.url, {
      lockTimeoutMs: config.lockTimeoutMs,
      signal: surroundings.abort.signal,
      onWait: (sentence) => log.info(sentence),
      // An earlier demo may have simulated another organization with the same name.
      first: (client) => client.query('drop schema if exists bi, bi_people, etl, warehouse cascade'),
    });
    const report = await runLoadJob(
      {
        name: 'backfill',
        arguments: { ...range, demo: true },
        yesterday: range.to,
        sources,
        plan: (known) =>
          planBackfill(sources, range, known, {
            force: false,
            windowDays: config.windowDays,
            today: today(surroundings.clock),
          }),
      },
      { ...surroundings, config, warehouse },
    );
    const figures = [await readFigures(warehouse), ...(await answerQuestions(warehouse))].join('\n\n');
    const page = report.stoppedBy === undefined ? await drawPage(surroundings, opened, range) : undefined;
    return { report, figures, page, url: warehouse.url, questions: join(sqlDirectory, 'questions'), close };
  } catch (error) {
    await close();
    throw opened === undefined ? error : await warehouseProblem(error, opened.warehouse);
  }
}

/** Writes the page of the last days into the data directory, and returns its path. */
async function drawPage(
  { config, clock, redact }: JobSurroundings,
  { warehouse, database }: OpenDatabase,
  { from, to }: DayRange,
): Promise<string> {
  // Imported here, because only this page needs the library for charts.
  const { makeReport } = await import('../report/make-report.ts');
  const range = { from: laterOf(addDays(to, -daysOfPage), from), to };
  const { page } = await makeReport(warehouse.pool, { range, withPeople: false, clock, redact });
  const file = join(dataDirectory(config), `${database}-report.html`);
  await writeFile(file, page);
  return file;
}

interface OpenDatabase {
  readonly warehouse: Warehouse;
  readonly database: string;
  close(): Promise<void>;
}

/** Opens the first database that no other demo uses, and locks it. */
async function openDatabaseOfDemo({ config, log, abort }: JobSurroundings): Promise<OpenDatabase> {
  for (let number = 1; ; number += 1) {
    const warehouse = await openWarehouse({
      ...config,
      databaseUrl: undefined,
      embeddedDatabase: nameOfDatabase(number),
      maxConnections: connectionsOfRun + 1,
      limits: config,
      log,
      signal: abort.signal,
    });
    try {
      const holder = await connect(warehouse.pool);
      const { rows } = await holder.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
        demoLock,
      ]);
      const close = async () => {
        holder.release(true);
        await warehouse.close();
      };
      if (rows[0]?.held === true) return { warehouse, database: nameOfDatabase(number), close };
      log.info({ database: nameOfDatabase(number) }, 'another demo uses this database');
      await close();
    } catch (error) {
      await warehouse.close();
      throw error;
    }
  }
}

/** The usage per month as a text table, from the view that analysts use. */
async function readFigures({ pool }: Warehouse): Promise<string> {
  return withSession(pool, async ({ db }) => {
    const { rows } = await sql<
      Record<'month' | 'credits' | 'tool_calls' | 'active' | 'commits' | 'prs', string>
    >`
      select
        to_char(usage_date, 'YYYY-MM') as month,
        round(sum(credits)) as credits,
        sum(tool_calls) as tool_calls,
        max(daily_active_users) as active,
        sum(git_commits) as commits,
        sum(git_prs_created) as prs
      from bi.daily_overview
      group by month
      order by month
    `.execute(db);
    const headings = [
      'month',
      'credits',
      'tool calls',
      'users on the busiest day',
      'commits',
      'pull requests',
    ];
    return textTable(
      headings,
      rows.map((row) => [
        row.month,
        ...[row.credits, row.tool_calls, row.active, row.commits, row.prs].map(Number),
      ]),
    );
  });
}

/** Three of the questions that the views answer, whose answers are short and need no range of days. */
const askedByDemo = ['03_users_by_status', '19_preferred_autonomy', '29_freshness'];

async function answerQuestions({ pool }: Warehouse): Promise<string[]> {
  return withSession(pool, async ({ client }) => {
    // No platform reports teams and prices.
    await client.query(await readFile(join(sqlDirectory, 'demo/teams_and_prices.sql'), 'utf8'));
    const answers: string[] = [];
    for (const { name, words, select } of await readQuestions()) {
      if (!askedByDemo.includes(name)) continue;
      const { columns, rows } = await askAsAnalyst(client, select);
      answers.push(
        `${words}\n${textTable(
          columns,
          rows.map((row) => row.map((value) => value ?? '')),
        )}`,
      );
    }
    return answers;
  });
}
