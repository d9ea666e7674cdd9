/** A real Node 20, from npm. */
import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
/** The folder into which it is installed. It stays from one run of the tests to the next. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/node-20', import.meta.url));

/** The folder with the program `node`; undefined, with a warning, if it cannot be installed. */
export async function folderOfNode20(): Promise<string | undefined> {
  const folder = join(cache, 'node_modules/node/bin');
  try {
    if (!(await isThere(join(folder, 'node')))) {
      await mkdir(cache, { recursive: true });
      await runFile('npm', ['install', '--prefix', cache, '--no-save', 'node@20'], { cwd: cache });
    }
    const { stdout } = await runFile(join(folder, 'node'), ['--version']);
    if (stdout.startsWith('v20.')) return folder;
    throw new Error(`expected Node 20, got ${stdout}`);
  } catch (error) {
    console.warn(`!!! NOT TESTED: no Node 20 can be installed here (${String(error).split('\n')[0]})`);
    return undefined;
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
