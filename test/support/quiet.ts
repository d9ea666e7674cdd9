/** Waits until a figure does not change any more, for tests that something does not happen. */
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a process that would go on. On a slow machine the test may see less, but it does not fail. */
const quietMs = 1_000;
const lookEveryMs = 50;

/** Resolves when `figure` has not changed for a second; `onLook` is called in between. */
export async function untilQuiet(
  figure: () => number,
  onLook: () => Promise<void> = async () => undefined,
): Promise<void> {
  let [last, since] = [figure(), performance.now()];
  while (performance.now() - since < quietMs) {
    await onLook();
    await delay(lookEveryMs);
    const now = figure();
    if (now !== last) [last, since] = [now, performance.now()];
  }
}
