/** Reads days from a platform as a run does, page by page. */
import type { Page } from '../../src/extract/envelope.ts';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import { readOf } from '../../src/model/source.ts';
import { readAnswers } from '../../src/pipeline/receive/read-answers.ts';
import { organizationId } from '../simulator/platform.ts';
import { fieldsOf } from './exact-json.ts';
import { sourceOf } from './samples.ts';

/** The fields of a record. */
export type Fields = Readonly<Record<string, unknown>>;

/** The answers for days of an endpoint; if it has pages, each has seven records. */
export function answers(client: PlatformClient, endpoint: string, days: readonly string[]) {
  const read = readOf(sourceOf(endpoint), days);
  if (read === undefined) throw new RangeError('expected days');
  return readAnswers({ client, organizationId, pageSize: 7 }, read, {});
}

/** The parsed records of a page. */
export function recordsOf({ bytes, records }: Page): Fields[] {
  return records.map(({ start, end }) => fieldsOf(JSON.parse(bytes.toString('utf8', start, end))));
}
