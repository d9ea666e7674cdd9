/** Says how to install the libraries beside it, where they are missing. Whatever takes one of them imports this first. */
import { existsSync } from 'node:fs';

if (!existsSync(new URL('node_modules', import.meta.url)))
  throw new Error(
    'expected the libraries of test/libraries, which `npm ci` leaves out; run `npm run libraries`',
  );
