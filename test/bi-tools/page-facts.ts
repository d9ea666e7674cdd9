/** What a browser makes of a page. The browser's own code is text here: it knows names that Node does not. */

import { z } from 'zod';
import type { Page } from '../libraries/browser.ts';

const charts = z.array(
  z.object({
    chart: z.string(),
    left: z.number(),
    right: z.number(),
    texts: z.array(
      z.object({
        text: z.string(),
        left: z.number(),
        right: z.number(),
        top: z.number(),
        bottom: z.number(),
      }),
    ),
  }),
);

/** Every chart that is shown, with its labels and where they are. */
export async function labelsOf(page: Page): Promise<z.infer<typeof charts>> {
  return charts.parse(
    await page.evaluate(`
      [...document.querySelectorAll('svg.chart')].flatMap((svg) => {
        const box = svg.getBoundingClientRect();
        if (box.width === 0) return [];
        const texts = [...svg.querySelectorAll('text')].map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return { text: text.textContent, left, right, top, bottom };
        });
        return [{ chart: svg.getAttribute('aria-label'), left: box.left, right: box.right, texts }];
      })`),
  );
}

/** The value of a CSS variable. */
export async function variableOf(page: Page, name: string): Promise<string> {
  return z
    .string()
    .parse(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--${name}')`));
}

/** The colours of all cells of heat maps: of the text, and of what is behind it. */
export async function heatColorsOf(page: Page): Promise<[string, string][]> {
  return z.array(z.tuple([z.string(), z.string()])).parse(
    await page.evaluate(`
      [...document.querySelectorAll('.heat td')].map((cell) => {
        const { color, backgroundColor } = getComputedStyle(cell);
        return [color, backgroundColor];
      })`),
  );
}

/** How wide the page is, with what would have to be scrolled to. */
export async function widthOf(page: Page): Promise<number> {
  return z.number().parse(await page.evaluate('document.documentElement.scrollWidth'));
}

/** The headings of cards in which something is wider than its card. */
export async function cutCardsOf(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(
    await page.evaluate(`
      [...document.querySelectorAll('.card')]
        .filter((card) => card.scrollWidth > card.clientWidth + 1)
        .map((card) => card.querySelector('h3').textContent)`),
  );
}

const violations = z.array(z.object({ id: z.string(), impact: z.string().nullable(), help: z.string() }));

/** What axe finds, with all that can be opened open. `axe` is its code. */
export async function violationsOf(page: Page, axe: string): Promise<z.infer<typeof violations>> {
  // Not a script of the page, whose policy would let none run.
  await page.evaluate(axe);
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
  return violations.parse(await page.evaluate('axe.run().then((found) => found.violations)'));
}
