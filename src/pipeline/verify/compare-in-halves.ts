/** Asks the platform for days to compare: all in one request or, if these are too many, in halves. */
import type { RequestOptions } from '../../extract/api-request.ts';
import { CredentialsRefusedError, explain, RequestFailedError } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { type Read, type Source, splitRead } from '../../model/source.ts';

/** What asking for days needs. */
export interface AskingDays {
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
  readonly signal: AbortSignal;
  /** Called when a window was too large, with the number of days that windows are to have from now on. */
  readonly onWindowSplit: (source: Source, windowDays: number) => void;
}

/**
 * Calls `compare` with the days of a read; resolves to whether the platform answered. If these are too many days for one
 * request, calls it with each half: the largest range is not documented (platform-api.md §8). Days that fail are reported
 * as a failure of the check `name`. Throws only errors that stop the run: refused credentials, and the abort of the run.
 */
export async function compareInHalves(
  asking: AskingDays,
  name: string,
  read: Read,
  requestOptions: RequestOptions,
  compare: (read: Read, requestOptions: RequestOptions) => Promise<void>,
): Promise<boolean> {
  const { source, slices } = read;
  try {
    await compare(read, { ...requestOptions, ...(slices.length > 1 ? { maxRetriesIfTooLarge: 1 } : {}) });
    return true;
  } catch (error) {
    if (error instanceof CredentialsRefusedError) throw error;
    asking.signal.throwIfAborted();
    const reason = asking.redact(explain(error));
    const halves = error instanceof RequestFailedError && error.smallerMayWork ? splitRead(read) : undefined;
    if (halves === undefined) {
      const part = `${slices[0].key} to ${slices.at(-1)?.key}`;
      asking.onEvent({ type: 'check-failed', check: name, part, reason });
      return !(error instanceof RequestFailedError);
    }
    const newDays = halves[0]?.slices.length ?? 1;
    const [endpoint, days] = [source.name, slices.length];
    asking.onEvent({ type: 'window-split', endpoint, days, newDays, reason });
    asking.onWindowSplit(source, newDays);
    let answered = true;
    for (const half of halves)
      answered = (await compareInHalves(asking, name, half, requestOptions, compare)) && answered;
    return answered;
  }
}
