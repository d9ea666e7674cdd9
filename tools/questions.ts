/** Makes the page of questions: each with its select and the answer from the demo. */
import type pg from 'pg';
import { askAsAnalyst, type QuestionResult, readQuestions } from '../src/warehouse/questions.ts';
import type { Product } from './product.ts';

/** The last day of the demo. */
const demoTo = '2026-06-30';

export const questions: Product = {
  name: 'questions',
  async files({ demo }) {
    const client = await (await demo(demoTo)).connect();
    try {
      return new Map([['docs/questions.md', await questionsPage(client)]]);
    } finally {
      client.release();
    }
  },
};

/** The text of docs/questions.md. `client` is connected to the demo's database. */
export async function questionsPage(client: pg.ClientBase): Promise<string> {
  const parts: string[] = [];
  for (const { words, select } of await readQuestions())
    parts.push(
      `## ${words}\n\n\`\`\`sql\n${select}\n\`\`\`\n\n${inMarkdown(await askAsAnalyst(client, select))}`,
    );
  return `${[
    '# Questions',
    `Each question has one select for members of the role \`usage_analyst\`, and its answer from the data of \`npm run demo -- --to ${demoTo}\`. Replace the days by yours. The selects are the files in \`sql/questions\`; a test runs them all, and \`npm run questions\` writes this page.`,
    ...parts,
  ].join('\n\n')}\n`;
}

function inMarkdown({ columns, rows }: QuestionResult): string {
  const line = (cells: readonly (string | null)[]) =>
    `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
