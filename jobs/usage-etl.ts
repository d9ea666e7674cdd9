#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --disable-sigusr1 --max-semi-space-size=8 --heap-growing-percent=100 --initial-old-space-size=64
/**
 * The entry of the program: what must be set before anything else is loaded. The size of the young generation is set
 * on the command line, which is where Node takes it from: left alone it grows to 100 MB; see bench/NOTES.md.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { keepPrivate } from './keep-private.ts';

keepPrivate();
// In the checkout, not in a temporary directory that other users can write to. Where it cannot be written, Node goes without.
enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
await import('./program.ts');
