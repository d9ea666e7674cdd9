/** A list without days: all of it is one slice, read page after page from the last record of each. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Partitioning, Request } from '../../model/partitioning.ts';

/** How a list is paged. */
export interface ListPaging {
  /** Text field that identifies a record. */
  readonly idField: string;
  /** Query parameter that takes the id of the last record of the page before. */
  readonly after: string;
  /** Query parameter that takes the size of a page. It is left out from the moment on at which the platform refuses it. */
  readonly limit?: string;
}

/** The key of the only slice of a list. */
const all = 'all';

/**
 * Partitioning of a list. An empty page ends it, or one that holds only the record after which it was to begin. Any other
 * page without a new record is an error: paging would never end.
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
