#!/usr/bin/env node
/** The entry of the program: what must be set before anything else is loaded. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// In the checkout, not in a temporary directory that other users can write to. Where it cannot be written, Node goes without.
enableCompileCache(fileURLToPath(new URL('../.data/compile-cache', import.meta.url)));
// Rows live shortly. Left alone, V8 answers their number with a young generation of 100 MB; see bench/NOTES.md.
setFlagsFromString('--semi-space-growth-factor=1');
await import('./program.ts');
