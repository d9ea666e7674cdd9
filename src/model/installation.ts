/** Where this program lies: a checkout, or a package. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The sources lie two floors below the checkout; the bundle of `npm run build` one deeper, in `dist/`. */
const root = new URL(import.meta.url.endsWith('.ts') ? '../..' : '../../..', import.meta.url);

/** The directory of the checkout; undefined for an installed package, which holds no sources. */
export const checkout: string | undefined = existsSync(new URL('jobs/usage-etl.ts', `${root.href}/`))
  ? fileURLToPath(root)
  : undefined;

/** A command line of this program as it is typed here: `npm run -s etl -- status`, or `usage-etl status`. */
export function inShell(commandLine: string): string {
  return `${checkout === undefined ? 'usage-etl' : 'npm run -s etl --'} ${commandLine}`;
}
