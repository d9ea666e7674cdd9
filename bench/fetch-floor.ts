/** The least that reading costs: a process that fetches the pages that the program asked for, and parses them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { BenchPlatform } from './platform.ts';
import type { PlatformRequest } from './platform-messages.ts';
import { maxConcurrency, type Ran, run } from './program.ts';

const fetchProgram = fileURLToPath(new URL('./fetch-and-parse.ts', import.meta.url));
const fetched = z.object({ requests: z.number(), bytes: z.number(), largest: z.number() });

/** What was fetched. */
export interface Fetched extends Ran, z.infer<typeof fetched> {}

/** Asks for the first page of each of `requests` again, in their order, and for the pages that follow it. */
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
