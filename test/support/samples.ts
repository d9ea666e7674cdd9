/** The sample payload of each endpoint, as the platform would send it. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { day } from '../../src/model/day.ts';
import { parseJson } from '../../src/model/json.ts';
import type { Source } from '../../src/model/source.ts';
import { sources } from '../../src/sources/registry.ts';

/** The day of all samples. */
export const sampleDay = day('2026-03-09');

/** A record that a test may change. */
export type PayloadRow = Record<string, unknown>;

const records = z.array(z.record(z.string(), z.unknown()));

/** The records of an endpoint's sample; every call returns new objects. */
export async function sampleRows(endpoint: string): Promise<PayloadRow[]> {
  const envelope = z.object({ [sourceOf(endpoint).envelope.records]: records });
  return Object.values(envelope.parse(parseJson(await sampleText(endpoint)).value)).flat();
}

/** The first record of an endpoint's sample with some fields replaced; `undefined` removes a field. */
export async function sampleRow(endpoint: string, changes: PayloadRow = {}): Promise<PayloadRow> {
  const [row] = await sampleRows(endpoint);
  const changed = Object.entries({ ...row, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(changed);
}

/** The text of an endpoint's sample: a whole answer of the platform. */
export async function sampleText(endpoint: string): Promise<string> {
  return readFile(new URL(`../../src/sources/${endpoint}/sample.json`, import.meta.url), 'utf8');
}

/** A source by its name. */
export function sourceOf(name: string): Source {
  const source = sources.find((known) => known.name === name);
  if (source === undefined)
    throw new RangeError(`expected the name of a source, got ${JSON.stringify(name)}`);
  return source;
}
