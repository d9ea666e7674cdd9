#!/usr/bin/env node
/** The entry of the program. It does one thing before anything is loaded: it lets Node keep what it compiles. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// In the checkout, not in a temporary directory that other users can write to. Where it cannot be written, Node goes without.
enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
await import('./program.ts');
