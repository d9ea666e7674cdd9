/** Reads the page of `report` as programs do: tables by their name, rows by their key, exact figures. */

/** A row of a table. */
export interface PageRow {
  readonly key: readonly string[];
  /** The figures by column; null for an unknown figure. */
  readonly figures: Readonly<Record<string, string | null>>;
}

/** The rows of a table; none if `page` does not have it. `page` must be about one organization, or a part of such a page. */
export function rowsOf(page: string, table: string): PageRow[] {
  const [, body = ''] = new RegExp(`<table[^>]* data-figures="${table}">(.*?)</table>`, 's').exec(page) ?? [];
  const columns = [...body.matchAll(/<th scope="col" data-column="([^"]*)">/g)].map(([, name = '']) => name);
  return [...body.matchAll(/<tr data-key="([^"]*)">(.*?)<\/tr>/gs)].map(([, key = '', row = '']) => {
    const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell);
    const figures = cells.slice(cells.length - columns.length).map(exactOf);
    return {
      key: JSON.parse(unescaped(key)),
      figures: Object.fromEntries(columns.map((name, place) => [unescaped(name), figures[place] ?? null])),
    };
  });
}

/** The figures at the top by their name: the exact figure, and the words of its change. */
export function headsOf(
  page: string,
): Record<string, { readonly exact: string | null; readonly change: string }> {
  const cards = page.matchAll(/<section class="card head" data-head="(\w+)">(.*?)<\/section>/gs);
  return Object.fromEntries(
    [...cards].map(([, name = '', card = '']) => {
      const [, change = ''] = /<p class="change">(.*?)<\/p>/s.exec(card) ?? [];
      return [name, { exact: exactOf(card), change: textOf(change) }];
    }),
  );
}

/** The visible text of a part of the page. */
export function textOf(markup: string): string {
  return unescaped(markup.replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function exactOf(markup: string): string | null {
  return /<data value="([^"]*)">/.exec(markup)?.[1] ?? null;
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity] ?? entity);
}
