/** Waits until something has come to rest, for tests of what does not happen. */
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for whoever wants to go on; a slow machine makes the test see less, never fail. */
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
