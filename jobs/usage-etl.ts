/** The entry of the program: what must be seen to before anything else is loaded. */
import './needs-node.cjs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { keepPrivate } from './keep-private.ts';

keepPrivate();
// Beside the program, not in a temporary directory that others can write to. Where it cannot be written, Node goes without.
nodeModule.enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
void import('./program.ts');
