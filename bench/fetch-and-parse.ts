/**
 * The floor of reading, as a process of its own: asks for the same pages as the program and parses them, over
 * connections that are kept, and does nothing else. Imports next to nothing, so that its start counts little.
 *
 * Arguments: base URL, credential, a JSON file with the reads, number of requests under way at once.
 */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [baseUrl = '', apiKey = '', file = '', concurrency = ''] = process.argv.slice(2);
const reads: [path: string, from: string, to: string, pageSize: number | null][] = JSON.parse(
  readFileSync(file, 'utf8'),
);
const lanes = Number(concurrency);
const pool = new Pool(baseUrl, { connections: lanes });
const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
let [requests, bytes, rows] = [0, 0, 0];

async function lane(): Promise<void> {
  for (let read = reads.shift(); read !== undefined; read = reads.shift()) {
    const [path, from, to, pageSize] = read;
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ startDate: from, endDate: to });
      if (pageSize !== null) query.set('limit', String(pageSize));
      if (cursor !== undefined) query.set('cursor', cursor);
      const { statusCode, body } = await pool.request({
        path: `/api/v1/analytics${path}?${query}`,
        method: 'GET',
        headers,
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`expected 200 for ${path}, got ${statusCode}: ${text}`);
      const envelope: { data: unknown[]; meta: { has_more?: boolean; next_cursor?: string } } =
        JSON.parse(text);
      requests += 1;
      bytes += text.length;
      rows += envelope.data.length;
      cursor = envelope.meta.has_more === true ? envelope.meta.next_cursor : undefined;
    } while (cursor !== undefined);
  }
}

await Promise.all(Array.from({ length: lanes }, lane));
await pool.close();
process.stdout.write(JSON.stringify({ requests, bytes, rows }));
