/**
 * The floor of reading, as a process of its own: it fetches pages over open connections and parses them, and does nothing
 * else. It imports very little, so that its start takes little time. Arguments: base URL, credential, a JSON file with
 * path and query of each first page, number of concurrent requests.
 */
import { readFileSync } from 'node:fs';
import { type Dispatcher, Pool } from 'undici';

const [baseUrl = '', apiKey = '', file = '', concurrency = ''] = process.argv.slice(2);
const targets: string[] = JSON.parse(readFileSync(file, 'utf8'));
const lanes = Number(concurrency);
const pool = new Pool(baseUrl, { connections: lanes });
const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
let [requests, bytes, largest] = [0, 0, 0];

async function lane(): Promise<void> {
  for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
    let path: string | undefined = target;
    while (path !== undefined) {
      const answer: Dispatcher.ResponseData = await pool.request({ path, method: 'GET', headers });
      const text = await answer.body.text();
      if (answer.statusCode !== 200)
        throw new Error(`expected 200 for ${path}, got ${answer.statusCode}: ${text}`);
      const { meta }: { meta: { has_more?: boolean; next_cursor?: string } } = JSON.parse(text);
      requests += 1;
      bytes += text.length;
      largest = Math.max(largest, text.length);
      path = meta.has_more === true ? `${target}&cursor=${meta.next_cursor}` : undefined;
    }
  }
}

await Promise.all(Array.from({ length: lanes }, lane));
await pool.close();
process.stdout.write(JSON.stringify({ requests, bytes, largest }));
