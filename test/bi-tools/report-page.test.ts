/**
 * The page of `report` in a browser: it renders without asking anybody for anything, people of all kinds can read it,
 * and its figures are the database's. Takes Chromium: `CHROMIUM` is its file. Pictures of it lie in a temporary folder, or in
 * `PICTURES`, where that is set.
 */
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Big from 'big.js';
import pg from 'pg';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { askAsAnalyst, readQuestions } from '../../src/warehouse/questions.ts';
import { programFile, type Started, startProgram } from '../support/program.ts';
import { figuresByReport } from './report-figures.ts';

const { CHROMIUM = '', PICTURES } = process.env;
const range = ['--from', '2026-04-02', '--to', '2026-06-30'];
const readme = 'docs/pictures/report.png';
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let directory: string;
let pictures: string;
let demo: Started;
let client: pg.Client;
let browser: Browser;
let file: string;

describe.skipIf(CHROMIUM === '')('the page of a report in a browser (CHROMIUM)', () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'usage-etl-page-'));
    pictures = PICTURES ?? directory;
    // Root's server runs as another user, who must get through.
    await chmod(directory, 0o711);
    demo = startProgram(programFile, ['demo', '--to', '2026-06-30', '--json'], { DATA_DIR: directory });
    const { url } = JSON.parse(await demo.prints());
    client = new pg.Client({ connectionString: url });
    await client.connect();
    file = join(directory, 'report.html');
    const made = await startProgram(programFile, ['report', ...range, '--out', file], { DATABASE_URL: url })
      .ended;
    expect(made.code, made.stderr).toBe(0);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser?.close();
    await client?.end();
    demo.process.kill('SIGTERM');
    await demo.ended;
    await rm(directory, { recursive: true });
  });

  /** Opens the page as somebody would, and hands on what it asked for, and what the browser complained about. */
  async function open(width: number, colorScheme: 'light' | 'dark') {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const [asked, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(pathToFileURL(file).href);
    return { page, asked, complaints };
  }

  describe.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('%i pixels wide, %s:', (width, theme) => {
    let page: Page;
    let [asked, complaints]: [string[], string[]] = [[], []];

    beforeAll(async () => {
      ({ page, asked, complaints } = await open(width, theme));
    });

    afterAll(() => page.close());

    test('it renders, asks for nothing and lets the browser complain of nothing', async () => {
      await page.screenshot({ path: join(pictures, `${width}-${theme}.png`), fullPage: true });
      expect(await page.locator('svg.chart:visible').count()).toBe(6);
      expect(asked).toEqual([pathToFileURL(file).href]);
      expect(complaints).toEqual([]);
    });

    test('nothing is wider than the page', async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    });

    test('labels of charts lie within them, do not touch each other, and are large enough to read', async () => {
      const labels = await page.evaluate(() =>
        [...document.querySelectorAll('svg.chart')].flatMap((svg) => {
          const box = svg.getBoundingClientRect();
          if (box.width === 0) return [];
          const texts = [...svg.querySelectorAll('text')].map((text) => {
            const { left, right, top, bottom } = text.getBoundingClientRect();
            return { text: text.textContent, left, right, top, bottom };
          });
          return [{ chart: svg.getAttribute('aria-label'), left: box.left, right: box.right, texts }];
        }),
      );
      expect(labels).toHaveLength(6);
      for (const { chart, left, right, texts } of labels) {
        expect(texts.length, chart ?? '').toBeGreaterThan(5);
        for (const [place, one] of texts.entries()) {
          expect(one.left, `${chart}: ${one.text}`).toBeGreaterThanOrEqual(left - 1);
          expect(one.right, `${chart}: ${one.text}`).toBeLessThanOrEqual(right + 1);
          expect(one.bottom - one.top, `${chart}: ${one.text}`).toBeGreaterThan(11);
          for (const other of texts.slice(place + 1)) {
            const apart =
              one.right < other.left ||
              other.right < one.left ||
              one.bottom <= other.top ||
              other.bottom <= one.top;
            expect(apart, `${chart}: ${one.text} and ${other.text}`).toBe(true);
          }
        }
      }
    });

    test('axe finds nothing serious, with all tables open, too', async () => {
      // Not a script of the page, whose policy would let none run.
      await page.evaluate(await readFile(axe, 'utf8'));
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      const found = await page.evaluate('axe.run()');
      const { violations } = z
        .object({ violations: z.array(z.object({ id: z.string(), impact: z.string(), help: z.string() })) })
        .parse(found);
      expect(violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))).toEqual([]);
    });

    test('what is written stands out 4.5 to 1, what is drawn 3 to 1', async () => {
      const { variables, cells } = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const names = [
          'page',
          'surface',
          'ink',
          'muted',
          ...Array.from({ length: 8 }, (_, place) => `c${place + 1}`),
        ];
        return {
          variables: Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)])),
          cells: [...document.querySelectorAll('.heat td')].map((cell) => [
            getComputedStyle(cell).color,
            getComputedStyle(cell).backgroundColor,
          ]),
        };
      });
      const { page: behind = '', surface = '', ink = '', muted = '', ...drawn } = variables;
      for (const [text, ground] of [ink, muted].flatMap((text) =>
        [behind, surface].map((ground) => [text, ground]),
      ))
        expect(contrast(text ?? '', ground ?? ''), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      expect(Object.keys(drawn)).toHaveLength(8);
      for (const [name, color] of Object.entries(drawn))
        expect(contrast(color, surface), name).toBeGreaterThanOrEqual(3);
      const coloured = cells.filter(([, ground]) => ground?.startsWith('color(') === true);
      expect(coloured.length).toBeGreaterThan(60);
      for (const [text = '', ground = ''] of coloured)
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    });
  });

  test('its figures are what the database answers', async () => {
    const { page } = await open(1280, 'light');
    // What the browser made of the file, not the file.
    const made = await page.evaluate(() => document.documentElement.outerHTML);
    const keys = {
      '01_active_users_by_month': ['month_start'],
      '08_credits_by_month': ['month_start'],
      '09_credits_by_model': ['model_id', 'model_tier'],
      '10_cost_by_team': ['team'],
      '25_clients': ['client_type'],
    };
    const questions = new Map((await readQuestions()).map((question) => [question.name, question]));
    for (const [name, its] of Object.entries(keys)) {
      const { columns, rows } = await askAsAnalyst(client, questions.get(name)?.select ?? '');
      const figures = columns.filter(
        (column) => !its.includes(column) && !['currency', 'is_complete'].includes(column),
      );
      const shown = figuresByReport(made, { name, keys: its }).map((row) => [
        ...its.map((key) => row[key] ?? null),
        ...figures.map((column) => rounded(row[column] ?? null, column)),
      ]);
      const places = [...its, ...figures].map((column) => columns.indexOf(column));
      expect(rows.length).toBeGreaterThan(2);
      expect(shown.map(String).sort(), name).toEqual(
        rows.map((row) => String(places.map((place) => row[place] ?? null))).sort(),
      );
    }
    await page.close();
  });

  test('on paper it is light, nothing is cut off, and no line to open a table is left', async () => {
    const { page } = await open(720, 'dark');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const surface = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--surface'),
    );
    expect(surface).toBe('#ffffff');
    expect(await page.locator('summary:visible').count()).toBe(0);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.card')]
        .filter((card) => card.scrollWidth > card.clientWidth + 1)
        .map((card) => card.querySelector('h3')?.textContent),
    );
    expect(cut).toEqual([]);
    const pdf = await page.pdf({ format: 'A4', printBackground: true, path: join(pictures, 'report.pdf') });
    expect(pdf.length).toBeGreaterThan(20_000);
    await page.close();
  });

  test('the picture in the README is of this page', async () => {
    const page = await browser.newPage({ viewport: { width: 1080, height: 1060 }, colorScheme: 'light' });
    await page.goto(pathToFileURL(file).href);
    const picture = join(pictures, 'readme.png');
    await page.screenshot({ path: picture });
    if (process.env.UPDATE_DOCUMENTS === '1') await copyFile(picture, readme);
    const [made, kept] = await Promise.all([readFile(picture), readFile(readme)]);
    expect(kept.length).toBeLessThan(250_000);
    // Fonts of another machine make other pixels; what is drawn is as much.
    expect(made.length / kept.length).toBeGreaterThan(0.5);
    expect(made.length / kept.length).toBeLessThan(2);
    await page.close();
  });
});

/** As the select of the question rounds it. */
function rounded(exact: string | null, column: string): string | null {
  return exact === null ? null : new Big(exact).toFixed(column === 'cost' ? 2 : 0);
}

/** The ratio of WCAG 2 between two colours, as CSS writes them. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** `#rrggbb`, `rgb(r, g, b)` or `color(srgb r g b)` as parts of one. */
function partsOf(color: string): number[] {
  const hex = /^#(..)(..)(..)$/.exec(color);
  if (hex !== null) return hex.slice(1).map((part) => Number.parseInt(part, 16) / 255);
  const numbers = (color.match(/[\d.]+/g) ?? []).map(Number);
  if (color.startsWith('color(srgb')) return numbers;
  if (color.startsWith('rgb')) return numbers.slice(0, 3).map((part) => part / 255);
  throw new Error(`expected a colour, got ${color}`);
}
