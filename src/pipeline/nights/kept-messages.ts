/**
 * The messages about nights that the ledger could not record. They are kept in a file of DATA_DIR until the ledger has
 * them, because `nightly` ends after one try. The file names no person.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../model/config.ts';
import { explain } from '../../model/errors.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { dataDirectory } from '../runs/open-warehouse.ts';

const keptMessage = z.strictObject({
  /** The last message that was delivered. */
  last: z.strictObject({ night: z.string(), event: z.enum(['night_failed', 'night_recovered']) }).optional(),
  /** When the first failed try of a night began, in ms since 1970. */
  failing: z.strictObject({ night: z.string(), sinceMs: z.number() }).optional(),
});
const keptMessages = z.record(z.string(), keptMessage);

/** What the file holds for one organization. */
export type KeptMessage = z.infer<typeof keptMessage>;

/** By the name of the organization in ORGANIZATIONS_FILE; without that file the name is empty. */
export type KeptMessages = ReadonlyMap<string, KeptMessage>;

/** The settings that say where the file is. */
export type KeptSettings = Pick<Config, 'messages' | 'dataDirectory' | 'databaseUrl'>;

/** Reads the file. A file that is missing or damaged holds nothing. */
export async function readKeptMessages(config: KeptSettings): Promise<KeptMessages> {
  try {
    const text = await readFile(fileOf(config), 'utf8');
    return new Map(Object.entries(keptMessages.parse(JSON.parse(text))));
  } catch {
    return new Map();
  }
}

/**
 * Writes the file as a whole, or removes it if there is nothing to keep. It warns if that fails: then the next process
 * tells the failure again.
 */
export async function keepMessages(
  { config, log }: { readonly config: KeptSettings; readonly log: Pick<JobSurroundings['log'], 'warn'> },
  messages: KeptMessages,
): Promise<void> {
  const file = fileOf(config);
  const draft = `${file}.${process.pid}`;
  try {
    if (messages.size === 0) {
      await rm(file, { force: true });
      return;
    }
    await mkdir(dataDirectory(config), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(Object.fromEntries(messages))}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    log.warn(`DATA_DIR: the sent messages cannot be kept in ${file}: ${explain(error)}`);
  }
}

/** Installations may share DATA_DIR: each database and each address for messages has a file of its own. */
function fileOf(config: KeptSettings): string {
  const { databaseUrl = '', messages } = config;
  // A new password does not make another database.
  const database = URL.canParse(databaseUrl)
    ? [new URL(databaseUrl).host, new URL(databaseUrl).pathname]
    : [databaseUrl];
  const of = JSON.stringify([...database, messages.webhook?.url.href]);
  const digest = createHash('sha256').update(of).digest('hex').slice(0, 16);
  return join(dataDirectory(config), `told-messages-${digest}.json`);
}
