/** One answer, four ways: plain SQL, metrics of dbt, datasets of Superset, and the page of a report give the same figures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAsAnalyst, readQuestions } from '../../src/warehouse/questions.ts';
import { answerByMetrics, copyProject, type DbtProject } from './dbt-project.ts';
import { type Demo, startDemo } from './demo.ts';
import { comparable, fiveQuestions } from './five-questions.ts';
import { answerByReport, makePage } from './report-answers.ts';
import { answerBySuperset } from './superset-answers.ts';
import { type SupersetSite, startSuperset } from './superset-site.ts';

const { DBT_BIN = '', SUPERSET_BIN = '' } = process.env;
const questions = Object.keys(fiveQuestions) as (keyof typeof fiveQuestions)[];

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});

afterAll(() => demo?.stop());

/** What plain SQL answers: the select of docs/questions.md. */
async function bySql(question: keyof typeof fiveQuestions): Promise<string[]> {
  const select =
    (await readQuestions()).find(({ name }) => name === fiveQuestions[question].name)?.select ?? '';
  const { columns, rows } = await askAsAnalyst(demo.client, select);
  const answer = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  expect(answer.length).toBeGreaterThan(1);
  return comparable(fiveQuestions[question], answer);
}

describe('the page of a report', () => {
  let page: string;

  beforeAll(async () => {
    page = await makePage(demo.owner);
  });

  test.each(questions)('answers like plain SQL: %s', async (question) => {
    const answer = answerByReport(page, question);
    expect(comparable(fiveQuestions[question], answer)).toEqual(await bySql(question));
  });
});

describe.skipIf(DBT_BIN === '')('metrics of dbt (DBT_BIN)', () => {
  let project: DbtProject;

  beforeAll(async () => {
    project = await copyProject(DBT_BIN, await demo.login('usage_analyst'));
    // MetricFlow reads what dbt last made of the project.
    const { code, output } = await project.dbt('parse');
    if (code !== 0) throw new Error(`expected dbt to parse the project, it said:\n${output}`);
  });

  afterAll(() => project?.remove());

  test.each(questions)('answer like plain SQL: %s', async (question) => {
    const answer = await answerByMetrics(project, question);
    expect(comparable(fiveQuestions[question], answer)).toEqual(await bySql(question));
  });
});

describe.skipIf(SUPERSET_BIN === '')('datasets of Superset (SUPERSET_BIN)', () => {
  let site: SupersetSite;

  beforeAll(async () => {
    const usage = await demo.login('usage_analyst');
    const usage_people = await demo.login('usage_people_reader');
    site = await startSuperset(SUPERSET_BIN, Promise.resolve({ usage, usage_people }));
    // Superset makes its own database in many steps, which a busy machine takes minutes for.
  }, 900_000);

  afterAll(() => site?.stop());

  test.each(questions)('answer like plain SQL: %s', async (question) => {
    const answer = await answerBySuperset(site.address, question);
    expect(comparable(fiveQuestions[question], answer)).toEqual(await bySql(question));
  });
});
