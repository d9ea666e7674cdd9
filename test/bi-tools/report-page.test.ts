/**
 * The page of `report` in a browser: it renders without asking anybody for anything, people of all kinds can read it,
 * and its figures are the database's. Takes Chromium: `CHROMIUM` is its file. Pictures lie in a temporary folder, or in
 * `PICTURES`, where that is set.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAsAnalyst, readQuestions } from '../../src/warehouse/questions.ts';
import { axeFile, type Browser, chromium, type Page } from '../libraries/browser.ts';
import { contrast } from '../support/contrast.ts';
import { programFile, startProgram } from '../support/program.ts';
import { type Demo, startDemo } from './demo.ts';
import { comparable, firstDay, fiveQuestions, lastDay } from './five-questions.ts';
import { cutCardsOf, heatColorsOf, labelsOf, variableOf, violationsOf, widthOf } from './page-facts.ts';
import { figuresByReport } from './report-figures.ts';

const { CHROMIUM = '', PICTURES } = process.env;
const pictureOfReadme = fileURLToPath(new URL('../../docs/pictures/report.png', import.meta.url));

describe.skipIf(CHROMIUM === '')('the page of a report in a browser (CHROMIUM)', () => {
  let directory: string;
  let pictures: string;
  let demo: Demo;
  let browser: Browser;
  /** The page of the days of the five questions. */
  let file: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'usage-etl-page-'));
    pictures = PICTURES ?? directory;
    demo = await startDemo();
    file = await makePage('report.html', firstDay);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    await rm(directory, { recursive: true });
  });

  async function makePage(name: string, from: string): Promise<string> {
    const { PGUSER, PGPASSWORD, PGHOST, PGPORT, PGDATABASE } = demo.owner;
    const made = join(directory, name);
    const { code, stderr } = await startProgram(
      programFile,
      ['report', '--from', from, '--to', lastDay, '--out', made],
      { DATABASE_URL: `postgres://${PGUSER}:${PGPASSWORD}@${PGHOST}:${PGPORT}/${PGDATABASE}` },
    ).ended;
    expect(code, stderr).toBe(0);
    return made;
  }

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
      expect(await widthOf(page)).toBe(width);
    });

    test('labels of charts lie within them, do not touch each other, and are large enough to read', async () => {
      const charts = await labelsOf(page);
      expect(charts).toHaveLength(6);
      for (const { chart, left, right, texts } of charts) {
        expect(texts.length, chart).toBeGreaterThan(5);
        for (const [place, one] of texts.entries()) {
          expect(one.left, `${chart}: ${one.text}`).toBeGreaterThanOrEqual(left - 1);
          expect(one.right, `${chart}: ${one.text}`).toBeLessThanOrEqual(right + 1);
          expect(one.bottom - one.top, `${chart}: ${one.text}`).toBeGreaterThan(11);
          for (const other of texts.slice(place + 1)) {
            const isApart =
              one.right < other.left ||
              other.right < one.left ||
              one.bottom <= other.top ||
              other.bottom <= one.top;
            expect(isApart, `${chart}: ${one.text} and ${other.text}`).toBe(true);
          }
        }
      }
    });

    test('axe finds nothing serious, with all tables open, too', async () => {
      const found = await violationsOf(page, await readFile(axeFile, 'utf8'));
      expect(found.filter(({ impact }) => ['serious', 'critical'].includes(impact ?? ''))).toEqual([]);
    });

    test('its figures stand out from the colours of cells', async () => {
      const colored = (await heatColorsOf(page)).filter(([, ground]) => ground.startsWith('color('));
      expect(colored.length).toBeGreaterThan(60);
      for (const [text, ground] of colored)
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      // That it is the other theme, and not the same one twice.
      expect(contrast(await variableOf(page, 'surface'), '#ffffff') < 2).toBe(theme === 'light');
    });
  });

  test('its figures are what the database answers', async () => {
    const { page } = await open(1280, 'light');
    // What the browser made of the file, not the file.
    const made = await page.content();
    const questions = new Map((await readQuestions()).map((question) => [question.name, question]));
    for (const question of Object.values(fiveQuestions)) {
      const { columns, rows } = await askAsAnalyst(demo.client, questions.get(question.name)?.select ?? '');
      const answer = rows.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place]])));
      expect(answer.length).toBeGreaterThan(2);
      expect(comparable(question, figuresByReport(made, question)), question.name).toEqual(
        comparable(question, answer),
      );
    }
    await page.close();
  });

  test('on paper it is light, nothing is cut off, and no line to open a table is left', async () => {
    const { page } = await open(720, 'dark');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await variableOf(page, 'surface')).toBe('#ffffff');
    expect(await page.locator('summary:visible').count()).toBe(0);
    expect(await cutCardsOf(page)).toEqual([]);
    const pdf = await page.pdf({ format: 'A4', printBackground: true, path: join(pictures, 'report.pdf') });
    expect(pdf.length).toBeGreaterThan(20_000);
    await page.close();
  });

  test('the picture in the README is of such a page', async () => {
    const page = await browser.newPage({ viewport: { width: 1080, height: 1020 }, colorScheme: 'light' });
    // As many days before are there to compare with.
    await page.goto(pathToFileURL(await makePage('readme.html', '2026-04-08')).href);
    const picture = join(pictures, 'report.png');
    await page.screenshot({ path: picture });
    const [made, kept] = await Promise.all([readFile(picture), readFile(pictureOfReadme)]);
    expect(kept.length).toBeLessThan(250_000);
    // Fonts of another machine make other pixels; what is drawn is as much.
    expect(made.length / kept.length).toBeGreaterThan(0.5);
    expect(made.length / kept.length).toBeLessThan(2);
    await page.close();
  });
});
