/** A program that runs `schedule` for as many nights as its argument says. Its clock jumps to the time that it waits for. */
import { writeFileSync } from 'node:fs';
import { openContext } from '../../jobs/perform.ts';
import { scheduleWaiting } from '../../jobs/schedule.ts';
import { readSettings } from '../../jobs/settings.ts';

const nights = Number(process.argv[2]);
const looks = 20;
let now = Date.parse('2026-02-01T12:00:00Z');
const clock = () => now;
const abort = new AbortController();
let waits = 0;
let count = 0;
const heapMegabytes: number[] = [];

/** Measures the memory in use. */
async function look(): Promise<void> {
  // Sockets and timers of the last night free their memory only in the next turns of the event loop.
  await new Promise(setImmediate);
  global.gc?.();
  heapMegabytes.push(process.memoryUsage().heapUsed / 1024 ** 2);
}

const job = scheduleWaiting(() => async (timeMs) => {
  if (waits % Math.max(1, Math.floor(nights / looks)) === 0) await look();
  waits += 1;
  const daysBefore = Math.floor(now / 86_400_000);
  now = Math.max(now, timeMs);
  // The night that was missed before the start does not count.
  if (Math.floor(now / 86_400_000) > daysBefore) count += 1;
  if (count === nights) abort.abort();
});
const problems: string[] = [];
const run = job.prepare({ options: {}, arguments: [], clock, problems });
const announce = async () => undefined;

async function keep(): Promise<void> {
  const settings = await readSettings({ needsPlatform: true, problems });
  const context = await openContext(settings, clock, { json: true, abort, announce });
  const { json } = await run(context);
  writeFileSync(1, `${JSON.stringify({ ...json, heapMegabytes })}\n`);
}

void keep();
