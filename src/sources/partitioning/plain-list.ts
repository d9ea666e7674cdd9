/** A list without days: the whole list is one slice, read in pages. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Partitioning, Request } from '../../model/partitioning.ts';

/** The paging of a list. */
export interface ListPaging {
  /** Text field that identifies a record. */
  readonly idField: string;
  /** Query parameter for the id of the last record of the previous page. */
  readonly after: string;
  /** Query parameter for the page size. It is left out after the platform has refused it. */
  readonly limit?: string;
}

/** The key of the only slice of a list. */
const all = 'all';

/**
 * Partitioning of a list. The list ends with an empty page, or with a page that repeats only the last record of the page
 * before. Any other page without a new record is an error: paging would never end.
 */
export function plainList(request: Request, { idField, after, limit }: ListPaging): Partitioning {
  return {
    kind: 'other',
    scope: {},
    dayOf: () => null,
    isKey: (text) => text === all,
    withoutRecords: 'believed',
    lanes: 'one',
    plan: () => [[all]],
    first: (_keys, pageSize) =>
      limit === undefined ? request : { ...request, query: { ...request.query, [limit]: String(pageSize) } },
    whenRefused({ query, ...asked }) {
      if (limit === undefined || query[limit] === undefined) return undefined;
      const { [limit]: _, ...rest } = query;
      return { ...asked, query: rest };
    },
    next(answer, seen) {
      const ids = answer.texts(idField);
      const last = ids.at(-1);
      if (ids.length === 0) return undefined;
      const before = answer.request.query[after];
      if (before !== undefined && ids.every((id) => id === before)) return undefined;
      const isNew = ids.some((id) => id !== undefined && !seen.has(id));
      for (const id of ids) if (id !== undefined) seen.add(id);
      if (last === undefined)
        throw new UnexpectedAnswerError(`expected ${idField} in the last record of a page, got none`);
      if (!isNew)
        throw new UnexpectedAnswerError(
          `paging would never end: the page after ${JSON.stringify(before)} brings nothing new`,
        );
      return { ...answer.request, query: { ...answer.request.query, [after]: last } };
    },
  };
}
