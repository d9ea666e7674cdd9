/** The floor of reading: a process that fetches the same pages as the program and parses them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { BenchPlatform } from './platform.ts';
import type { PlatformRequest } from './platform-messages.ts';
import { maxConcurrency, type Ran, run } from './program.ts';

const fetchProgram = fileURLToPath(new URL('./fetch-and-parse.ts', import.meta.url));
const fetched = z.object({ requests: z.number(), bytes: z.number(), largest: z.number() });

/** The result of a fetch. */
export interface Fetched extends Ran, z.infer<typeof fetched> {}

/** Fetches the pages of `requests` again in a process of its own: each first page, and the pages that follow it. */
export async function fetchAndParse(
  platform: BenchPlatform,
  requests: readonly PlatformRequest[],
  directory: string,
): Promise<Fetched> {
  const targets = requests.map(({ target }) => target).filter((target) => !isLaterPage(target));
  const file = join(directory, 'targets.json');
  await writeFile(file, JSON.stringify(targets));
  const ran = await run(process.execPath, [
    fetchProgram,
    platform.url,
    platform.apiKey,
    file,
    String(maxConcurrency),
  ]);
  return { ...ran, ...fetched.parse(JSON.parse(ran.stdout)) };
}

function isLaterPage(target: string): boolean {
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).has('cursor');
}
