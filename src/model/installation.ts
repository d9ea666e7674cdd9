/** The location of this program: a checkout or a package. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** This TypeScript file is two directories below the checkout; the bundle of `npm run build` is three below it. */
const root = new URL(import.meta.url.endsWith('.ts') ? '../..' : '../../..', import.meta.url);

/** The directory of the checkout; undefined for an installed package, which holds no TypeScript. */
export const checkout: string | undefined = existsSync(new URL('jobs/usage-etl.ts', `${root.href}/`))
  ? fileURLToPath(root)
  : undefined;

/** A command line as the user types it here: `npm run -s etl -- status` or `usage-etl status`. */
export function inShell(commandLine: string): string {
  return `${checkout === undefined ? 'usage-etl' : 'npm run -s etl --'} ${commandLine}`;
}
