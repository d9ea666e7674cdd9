/** The dbt project in a folder of its own, with dbt and MetricFlow to run in it. */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { type Outcome, run } from '../../tools/command.ts';
import type { Login } from './demo.ts';
import { firstDay, type fiveQuestions, lastDay } from './five-questions.ts';

const project = fileURLToPath(new URL('../../dbt', import.meta.url));

/** A row of an answer: its values by the names of the question's columns. */
export type Row = Readonly<Record<string, string>>;

/** A copy of the project, for a login. */
export interface DbtProject {
  readonly directory: string;
  dbt(...commandLine: readonly string[]): Promise<Outcome>;
  mf(...commandLine: readonly string[]): Promise<Outcome>;
  /** The answer of `mf query`; throws what it says when it fails. */
  query(commandLine: readonly string[], columns: Readonly<Record<string, string>>): Promise<Row[]>;
  remove(): Promise<void>;
}

/** Copies the project. `programs` is the folder in which dbt and mf are. */
export async function copyProject(programs: string, login: Login): Promise<DbtProject> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-dbt-'));
  await cp(project, directory, {
    recursive: true,
    filter: (path) => !/\/(target|logs|\.user\.yml)$/.test(path),
  });
  const options = { environment: { ...login, NO_COLOR: '1' }, directory };
  const mf = async (...commandLine: readonly string[]) => {
    const { code, output } = await run(join(programs, 'mf'), commandLine, options);
    // It turns a wheel while it works.
    return { code, output: output.replaceAll(/[\u2800-\u28ff] [^\u2800-\u28ff✔✖\n]*/g, '') };
  };
  return {
    directory,
    dbt: (...commandLine) => run(join(programs, 'dbt'), [...commandLine, '--no-use-colors'], options),
    mf,
    async query(commandLine, columns) {
      const file = join(directory, 'answer.csv');
      const { code, output } = await mf('query', ...commandLine, '--csv', file);
      if (code !== 0)
        throw new Error(`expected mf query ${commandLine.join(' ')} to answer, it said:\n${output}`);
      const rows = parse(await readFile(file, 'utf8'), { columns: true }) as Record<string, string>[];
      await rm(file);
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [columns[name] ?? name, value])),
      );
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

const days = ['--start-time', firstDay, '--end-time', lastDay];
const months = ['--group-by', 'metric_time__month', '--start-time', '2026-04-01', '--end-time', lastDay];

/** The five questions, as MetricFlow is asked: what to type, and which column of the question each of its columns is. */
const asked: Readonly<
  Record<keyof typeof fiveQuestions, { readonly line: readonly string[]; readonly columns: Row }>
> = {
  activeUsers: {
    line: ['--metrics', 'active_users_of_month,new_users_of_month,stopped_users_of_month', ...months],
    columns: {
      metric_time__month: 'month_start',
      active_users_of_month: 'active_users',
      new_users_of_month: 'new_users',
      stopped_users_of_month: 'stopped_users',
    },
  },
  creditsByMonth: {
    line: ['--metrics', 'credits', ...months],
    columns: { metric_time__month: 'month_start' },
  },
  creditsByModel: {
    line: [
      '--metrics',
      'credits_by_model',
      '--group-by',
      'credits_by_model__model_id,credits_by_model__model_tier',
      ...days,
    ],
    columns: {
      credits_by_model__model_id: 'model_id',
      credits_by_model__model_tier: 'model_tier',
      credits_by_model: 'credits',
    },
  },
  costByTeam: {
    line: ['--metrics', 'credits_by_team,cost_by_team', '--group-by', 'credits_by_team__team', ...days],
    columns: { credits_by_team__team: 'team', credits_by_team: 'credits', cost_by_team: 'cost' },
  },
  clients: {
    line: [
      '--metrics',
      'daily_active_users_by_client_busiest_day',
      '--group-by',
      'adoption_by_client__client_type',
      ...days,
    ],
    columns: {
      adoption_by_client__client_type: 'client_type',
      daily_active_users_by_client_busiest_day: 'users_on_the_busiest_day',
    },
  },
};

/** What MetricFlow answers to one of the five questions. */
export async function answerByMetrics(
  project: Pick<DbtProject, 'query'>,
  question: keyof typeof fiveQuestions,
): Promise<Row[]> {
  const { line, columns } = asked[question];
  return await project.query(line, columns);
}
