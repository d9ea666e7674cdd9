/** A dashboard of Superset in a browser: what its charts were answered, and a picture. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Page, Response } from '../libraries/browser.ts';
import { admin } from './superset-site.ts';

/** The answer to one chart's question. */
export interface Answered {
  readonly chart: string;
  readonly status: number;
  readonly rows: number;
}

const asked = z.object({ form_data: z.object({ slice_id: z.number().optional() }) });
const answered = z.object({ result: z.array(z.object({ rowcount: z.number() })) });
const charts = z.object({ result: z.array(z.object({ id: z.number(), slice_name: z.string() })) });

/** Signs in, on a page as wide as `width`. Superset's counting of visits is answered here. */
export async function signIn(page: Page, address: string): Promise<void> {
  await page.route('**/superset/log/**', (route) => route.fulfill({ json: {} }));
  await page.goto(`${address}/login/`);
  await page.fill('#username', admin.username);
  await page.fill('#password', admin.password);
  await page.click('[type=submit]');
  await page.waitForURL(/welcome/);
}

/** Opens a dashboard and waits until each of its charts is answered and drawn. */
export async function openDashboard(page: Page, address: string, slug: string): Promise<Answered[]> {
  const response = await page.request.get(`${address}/api/v1/dashboard/${slug}/charts`);
  const names = new Map(
    charts.parse(await response.json()).result.map((chart) => [chart.id, chart.slice_name]),
  );
  const answers = new Map<string, Answered>();
  const note = async (answer: Response) => {
    if (!answer.url().includes('/api/v1/chart/data')) return;
    const { form_data } = asked.parse(answer.request().postDataJSON());
    const chart = names.get(form_data.slice_id ?? 0);
    // Filters ask for their values in the same way.
    if (chart === undefined) return;
    const body = answer.ok() ? answered.parse(await answer.json()).result : [];
    answers.set(chart, {
      chart,
      status: answer.status(),
      rows: body.reduce((sum, { rowcount }) => sum + rowcount, 0),
    });
  };
  const listener = (answer: Response) => void note(answer);
  page.on('response', listener);
  try {
    await page.goto(`${address}/superset/dashboard/${slug}/?standalone=1`);
    await expect.poll(() => [...answers.keys()].sort()).toEqual([...names.values()].sort());
    await expect.poll(() => page.locator('.dashboard-component-chart-holder').count()).toBe(names.size);
    await expect.poll(() => page.locator('[data-test="loading-indicator"], .loading').count()).toBe(0);
    return [...answers.values()];
  } finally {
    page.off('response', listener);
  }
}

/** Writes a picture of the dashboard that is open, in few colours, so that it is small. `bin` has Superset's Python. */
export async function takePicture(page: Page, file: string, bin: string): Promise<void> {
  // What moves in comes to rest.
  await page.waitForTimeout(2_000);
  const holders = await page.locator('.dashboard-component-chart-holder').all();
  const boxes = await Promise.all(holders.map((holder) => holder.boundingBox()));
  const bottom = Math.max(...boxes.map((box) => (box === null ? 0 : box.y + box.height)));
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: bottom + 16 } });
  const fewColours = [
    'import sys; from PIL import Image',
    'Image.open(sys.argv[1]).convert("RGB").quantize(96, dither=0).save(sys.argv[1], optimize=True)',
  ];
  await promisify(execFile)(join(bin, 'python'), ['-c', fewColours.join('\n'), file]);
}
