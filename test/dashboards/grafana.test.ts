/** Postgres answers every query in the dashboards for Grafana. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { organizations } from '../../dashboards/grafana/source/dashboard.ts';
import { askAsAnalyst, type QuestionResult } from '../../src/warehouse/questions.ts';
import { type Demo, startDemo } from '../bi-tools/demo.ts';
import { type Chosen, expand } from './grafana-macros.ts';

const folder = fileURLToPath(new URL('../../dashboards/grafana/', import.meta.url));

const schema = z.object({
  uid: z.string(),
  panels: z.array(
    z.object({
      title: z.string(),
      description: z.string().min(10),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ rawSql: z.string(), format: z.enum(['table', 'time_series']) })).length(1),
    }),
  ),
});
type Dashboard = z.infer<typeof schema>;
type Panel = Dashboard['panels'][number];

let demo: Demo;
let dashboards: Map<string, Dashboard>;

beforeAll(async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  dashboards = new Map(
    await Promise.all(
      names.map(async (name) => {
        const text = await readFile(join(folder, name), 'utf8');
        return [name, schema.parse(JSON.parse(text))] as const;
      }),
    ),
  );
  demo = await startDemo();
});

afterAll(() => demo?.stop());

const chosen = async (): Promise<Chosen> => ({
  from: '2026-04-02T00:00:00Z',
  to: '2026-06-30T23:59:59.999Z',
  organizations: (await askAsAnalyst(demo.client, organizations)).rows.flatMap(([name]) => name ?? []),
});

function panelsOf(name: string): Panel[] {
  return dashboards.get(name)?.panels ?? [];
}

async function answer(panel: Panel | undefined): Promise<QuestionResult> {
  const [target] = panel?.targets ?? [];
  if (target === undefined) throw new Error('expected a panel with a query');
  return await askAsAnalyst(demo.client, expand(target.rawSql, await chosen()));
}

/** No rows say there that all is well, or that a month is over. */
const mayBeEmpty = new Set(['Missing days by reason', 'What is missing']);

test.each(['overview.json', 'cost.json', 'adoption.json', 'data-health.json'])(
  'an analyst gets an answer to every query of %s, in the form that its panel needs',
  async (name) => {
    expect(panelsOf(name).length).toBeGreaterThan(4);
    for (const panel of panelsOf(name)) {
      const { columns, rows } = await answer(panel);
      if (!mayBeEmpty.has(panel.title)) expect(rows, panel.title).not.toEqual([]);
      if (panel.targets[0]?.format !== 'time_series') continue;
      expect(columns[0], panel.title).toBe('time');
      expect(columns.length, panel.title).toBeGreaterThan(1);
      const times = rows.map(([time]) => String(time));
      // Grafana refuses a series whose times do not rise.
      expect(times, panel.title).toEqual([...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }
  },
);

test('both ends of the range are whole days', async () => {
  const { rows } = await answer(panelsOf('overview.json').find(({ title }) => title === 'Active users'));
  expect(rows).toHaveLength(90);
  expect(rows.map(([time]) => new Date(Number(time) * 1000).toISOString()).at(-1)).toBe(
    '2026-06-30T00:00:00.000Z',
  );
  const [credits] = (await answer(panelsOf('overview.json')[0])).rows;
  const plain = await demo.client.query(
    "select sum(credits)::text as credits from bi.credits_by_model where usage_date between '2026-04-02' and '2026-06-30'",
  );
  expect(Number(credits?.[0])).toBeCloseTo(Number(plain.rows[0].credits), 6);
});

test('panels do not lie upon each other', () => {
  for (const [name, { panels }] of dashboards) {
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, `${name}: ${title}`).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), `${name}: ${title}`).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  }
});

test('no dashboard shows a person', async () => {
  for (const [name, { panels }] of dashboards) {
    for (const { title, targets } of panels) {
      expect(targets[0]?.rawSql, `${name}: ${title}`).not.toMatch(/bi_people|user_email|user_label|user_id/);
    }
  }
});
