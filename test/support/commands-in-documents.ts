/** Finds the command lines in the documents. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A command line as it stands in a document. */
export interface DocumentedCommand {
  readonly document: string;
  readonly line: string;
}

/** The documents of this checkout whose command lines people follow. */
export async function documents(): Promise<string[]> {
  const [top, docs] = await Promise.all(['.', 'docs'].map((folder) => readdir(join(checkout, folder))));
  const recipes = ['cron', 'systemd'].map((name) => `deploy/${name}/README.md`);
  const named = [...(top ?? []), ...(docs ?? []).map((name) => `docs/${name}`), ...recipes];
  return named.filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md').sort();
}

/**
 * Every line of shell and cron in the documents, and every command of this program or of npm that a sentence quotes, in
 * their order. Comments and the times of cron are left out.
 */
export async function documentedCommands(): Promise<DocumentedCommand[]> {
  const found: DocumentedCommand[] = [];
  for (const document of await documents()) {
    const text = await readFile(join(checkout, document), 'utf8');
    const pieces = text.matchAll(
      /^```(\w*)\n([\s\S]*?)^```$|`((?:npm (?:run|ci|test)\b|usage-etl |node jobs|(?:migrate|nightly|backfill|replay|verify|status) --)[^`\n]*)`/gm,
    );
    for (const [, language, block = '', quoted] of pieces) {
      const lines =
        quoted !== undefined ? [quoted] : ['sh', 'cron'].includes(language ?? '') ? block.split('\n') : [];
      for (const written of lines) {
        const line = written
          .replace(/(^|\s)#.*$/, '')
          .replace(/^(\S+\s+){5}(?=cd )/, '')
          .trim();
        // A line with a placeholder (`<day>`, `…`) is no command line.
        if (line !== '' && !/[<…]/.test(line)) found.push({ document, line });
      }
    }
  }
  return found;
}
