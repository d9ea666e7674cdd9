/** The driver of a browser, and axe, which checks pages in it. */
import './installed.ts';
import { createRequire } from 'node:module';

export { type Browser, chromium, type Page, type Response } from 'playwright-core';

/** The file with the code of axe. */
export const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
