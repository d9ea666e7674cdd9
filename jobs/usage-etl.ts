/** The first file of the program. It protects the process before it loads anything else. */
import './needs-node.cjs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { keepPrivate } from './keep-private.ts';

keepPrivate();
// The compile cache is beside the program, because others can write to the temporary directory. If its folder cannot be
// written, Node runs without the cache.
nodeModule.enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
void import('./program.ts');
