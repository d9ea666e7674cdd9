/** Writes generated files, and compares them with the stored ones. */
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Generated files by path, and patterns of paths under which there are only such files. */
export interface MadeFiles {
  readonly files: ReadonlyMap<string, string>;
  readonly whole?: readonly string[];
}

/** Writes files below `root` and removes obsolete ones. */
export async function storeFiles(root: string, made: MadeFiles): Promise<void> {
  for (const path of await leftOver(root, made)) await rm(join(root, path));
  for (const [path, text] of made.files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** One sentence for each stored file that differs. */
export async function differences(root: string, made: MadeFiles): Promise<string[]> {
  const told: string[] = [];
  for (const [path, text] of made.files) {
    const stored = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (stored === undefined) told.push(`${path}: is missing`);
    else if (stored !== text) told.push(`${path}: ${firstDifference(stored, text)}`);
  }
  const left = await leftOver(root, made);
  return [...told, ...left.map((path) => `${path}: is obsolete`)];
}

async function leftOver(root: string, { files, whole = [] }: MadeFiles): Promise<string[]> {
  const left: string[] = [];
  for await (const path of glob([...whole], { cwd: root })) if (!files.has(path)) left.push(path);
  return left.sort();
}

function firstDifference(stored: string, made: string): string {
  const [found, expected] = [stored.split('\n'), made.split('\n')];
  const index = expected.findIndex((line, at) => line !== found[at]);
  const line = index === -1 ? expected.length : index;
  const shown = (text: string | undefined) => (text === undefined ? 'its end' : JSON.stringify(text));
  return `line ${line + 1}: expected ${shown(expected[line])}, found ${shown(found[line])}`;
}
