/** The entry of the program. It protects the process before it loads anything else. */
import './needs-node.cjs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { keepPrivate } from './keep-private.ts';

keepPrivate();
// Keep the compile cache beside the program: others can write to the temporary directory. If the folder cannot be
// written, Node runs without the cache.
nodeModule.enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
void import('./program.ts');
