/** The five questions, as the page of a report answers them: from the tables behind its charts. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { programFile, startProgram } from '../support/program.ts';
import type { Login } from './demo.ts';
import { firstDay, fiveQuestions, lastDay } from './five-questions.ts';

/** The table of the page in which each answer is. */
const tables: Readonly<Record<keyof typeof fiveQuestions, string>> = {
  activeUsers: 'months',
  creditsByMonth: 'months',
  creditsByModel: 'models',
  costByTeam: 'teams',
  clients: 'clients',
};

/** The page of a report on the days of the questions. */
export async function makePage(login: Login): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-report-'));
  try {
    const { PGUSER, PGPASSWORD, PGHOST, PGPORT, PGDATABASE } = login;
    const out = join(directory, 'report.html');
    const { ended } = startProgram(
      programFile,
      ['report', '--from', firstDay, '--to', lastDay, '--out', out],
      {
        DATABASE_URL: `postgres://${PGUSER}:${PGPASSWORD}@${PGHOST}:${PGPORT}/${PGDATABASE}`,
      },
    );
    const { code, stderr } = await ended;
    if (code !== 0) throw new Error(`expected a report, got:\n${stderr}`);
    return await readFile(out, 'utf8');
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What the page answers to one of the five questions: all rows of a table, keys and figures by the question's columns. */
export function answerByReport(
  page: string,
  question: keyof typeof fiveQuestions,
): Record<string, unknown>[] {
  const [, table = ''] =
    page.match(new RegExp(`<table data-figures="${tables[question]}">(.*?)</table>`, 's')) ?? [];
  const columns = [...table.matchAll(/data-column="([^"]*)"/g)].map(([, name]) => name ?? '');
  const { keys } = fiveQuestions[question];
  return [...table.matchAll(/<tr data-key="([^"]*)">(.*?)<\/tr>/gs)].map(([, key = '', cells = '']) => {
    const names = z
      .array(z.string())
      .parse(JSON.parse(key.replaceAll('&quot;', '"').replaceAll('&amp;', '&')));
    const values = [...cells.matchAll(/<td>(.*?)<\/td>/gs)].map(
      ([, cell = '']) => cell.match(/value="([^"]*)"/)?.[1],
    );
    return Object.fromEntries([
      ...keys.map((name, place): [string, unknown] => [name, names[place]]),
      ...columns.map((name, place): [string, unknown] => [name, values[place]]),
    ]);
  });
}
