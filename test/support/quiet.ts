/** Waits until a figure does not change any more, for tests which show that something does not happen. */
import { setTimeout as delay } from 'node:timers/promises';

/** How long the figure must stay the same. On a slow machine a change may come later and be missed: no test fails by it. */
const quietMs = 1_000;
const lookEveryMs = 50;

/** Resolves when `figure` has not changed for a second. Until then `onLook` is called again and again. */
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
