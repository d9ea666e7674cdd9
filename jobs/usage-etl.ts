/** The entry of the program: what must be seen to before anything else is loaded. */
import './needs-node.cjs';
import { fileURLToPath } from 'node:url';
import { keepPrivate } from './keep-private.ts';

keepPrivate();
// Not before: a Node that is too old has none.
const { enableCompileCache } = await import('node:module');
// Beside the program, not in a temporary directory that others can write to. Where it cannot be written, Node goes without.
enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
await import('./program.ts');
