/** Ways to page `/users` otherwise than documented (platform-api.md §4.2). */
import type { Row } from './odd-answers.ts';

/** A page: how it is asked for, and what it says. */
export interface Page {
  /** Undefined for the first. */
  readonly cursor: string | undefined;
  readonly rows: readonly Row[];
  /** Beside what every answer's meta has. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** What an odd paging makes of the documented pages. Where more rows follow, no page says `has_more: false`. */
export const pagings = {
  'no has_more': (pages) =>
    pages.map(({ meta, ...page }) => ({
      ...page,
      meta: meta.next_cursor === undefined ? meta : { next_cursor: meta.next_cursor },
    })),
  'has_more is null': (pages) =>
    pages.map(({ meta, ...page }) => ({
      ...page,
      meta: meta.next_cursor === undefined ? meta : { ...meta, has_more: null },
    })),
  'has_more is text': (pages) =>
    pages.map(({ meta, ...page }) => ({ ...page, meta: { ...meta, has_more: String(meta.has_more) } })),
  'has_more without a cursor': ([first]) =>
    first === undefined ? [] : [{ ...first, meta: { has_more: true } }],
  'a cursor that is no text': ([first, ...others]) =>
    first === undefined ? [] : [{ ...first, meta: { has_more: true, next_cursor: 17 } }, ...others],
  'a cursor comes back': ([first, second, ...others]) =>
    first === undefined || second === undefined
      ? []
      : [first, { ...second, meta: { has_more: true, next_cursor: second.cursor } }, ...others],
  'empty pages between': (pages) =>
    pages.flatMap((page) => (page.cursor === undefined ? [page] : afterEmptyPages(page, page.cursor, 3))),
  'empty pages without end': ([first]) =>
    first === undefined
      ? []
      : [
          { ...first, meta: { has_more: true, next_cursor: 'nothing_0' } },
          ...Array.from({ length: 150 }, (_, index) => ({
            cursor: `nothing_${index}`,
            rows: [],
            meta: { has_more: true, next_cursor: `nothing_${index + 1}` },
          })),
        ],
  'a page comes twice': ([first, ...others]) =>
    first === undefined
      ? []
      : [
          { ...first, meta: { has_more: true, next_cursor: 'first_again' } },
          { ...first, cursor: 'first_again' },
          ...others,
        ],
  'a cursor after the last page': (pages) =>
    pages.flatMap((page) => {
      if (page.meta.next_cursor !== undefined) return [page];
      const cursor = 'after_the_last';
      return [
        { ...page, meta: { has_more: false, next_cursor: cursor } },
        { cursor, rows: [], meta: { has_more: false } },
      ];
    }),
  'an empty cursor on the last page': (pages) =>
    pages.map((page) =>
      page.meta.next_cursor === undefined ? { ...page, meta: { has_more: false, next_cursor: '' } } : page,
    ),
} as const satisfies Record<string, (pages: readonly Page[]) => readonly Page[]>;

/** The name of one of `pagings`. */
export type Paging = keyof typeof pagings;

/** The documented pages of `/users` rows, at least one. */
export function pagesOf(rows: readonly Row[], size: number): readonly Page[] {
  const parts = Array.from({ length: Math.max(1, Math.ceil(rows.length / size)) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
  const cursorAfter = (part: readonly Row[] | undefined) => String(part?.at(-1)?.user_id);
  return parts.map((part, index) => ({
    cursor: index === 0 ? undefined : cursorAfter(parts[index - 1]),
    rows: part,
    meta:
      index === parts.length - 1 ? { has_more: false } : { has_more: true, next_cursor: cursorAfter(part) },
  }));
}

/** A page that stands behind pages without rows; the first of these is asked for by the page's own cursor. */
function afterEmptyPages(page: Page, cursor: string, count: number): readonly Page[] {
  const at = (index: number) => (index === 0 ? cursor : `${cursor}_${index}`);
  const empty = Array.from({ length: count }, (_, index) => ({
    cursor: at(index),
    rows: [],
    meta: { has_more: true, next_cursor: at(index + 1) },
  }));
  return [...empty, { ...page, cursor: at(count) }];
}
