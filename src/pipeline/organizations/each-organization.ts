/** Does the same work for organizations of ORGANIZATIONS_FILE, each in a run of its own, in one warehouse. */
import type { OrganizationEntry } from '../../model/organizations/organization-entry.ts';
import type { RunEvent } from '../../model/run.ts';
import { defaultTiming } from '../../model/timing.ts';
import { counted } from '../../reporting/number-text.ts';
import { createProgressBar } from '../../reporting/progress-bar.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { type BoundName, readBoundNames } from '../../warehouse/ledger/bound-organizations.ts';
import type { JobSurroundings, OpenSurroundings } from '../runs/job-surroundings.ts';
import { shareAmongRuns } from '../runs/shared-by-runs.ts';
import { type Access, withOwnAbort, withSharedWarehouse } from '../runs/with-warehouse.ts';
import { inTurns } from './in-turns.ts';
import { surroundingsOf } from './own-surroundings.ts';

/** The end of the work for one organization. */
export interface OrganizationEnd<Result> {
  /** Its name in the file. */
  readonly name: string;
  /** The platform's id; null if it is not known. */
  readonly organizationId: string | null;
  /** Undefined if the work threw. */
  readonly result: Result | undefined;
  /** The error, if the work threw. */
  readonly error: unknown;
  readonly durationMs: number;
}

/** An organization for which work is done. */
export interface OwnSurroundings extends OpenSurroundings {
  readonly name: string;
  /** Undefined if no run has bound its name. */
  readonly bound: BoundName | undefined;
}

/** The work, and what it needs. */
export interface WorkOfEach<Result> {
  readonly access: Access;
  /** Whether it asks the platform. Then an organization without a key fails alone. */
  readonly asksPlatform: boolean;
  readonly work: (own: OwnSurroundings) => Promise<Result>;
  /** Called with all ends, while the warehouse is open. */
  readonly afterwards?: (ends: readonly OrganizationEnd<Result>[], open: OpenSurroundings) => Promise<void>;
}

/**
 * Does `work` for these organizations; those that were not loaded for longest come first. Returns the ends in the order of
 * `entries`. The end of one does not end the others. Throws only if the warehouse cannot be opened.
 */
export function withEachOrganization<Result>(
  surroundings: JobSurroundings,
  entries: readonly OrganizationEntry[],
  { access, asksPlatform, work, afterwards }: WorkOfEach<Result>,
): Promise<OrganizationEnd<Result>[]> {
  return withSharedWarehouse(surroundings, access, async (open) => {
    const { config, warehouse, abort, timing = defaultTiming } = open;
    const names = entries.map(({ name }) => name);
    const bound = await withSession(warehouse.pool, ({ db }) => readBoundNames(db, names));
    const shared = shareAmongRuns(warehouse, config, abort.signal);
    const inOrder = [...entries].sort((a, b) => loadedMs(bound, a) - loadedMs(bound, b));
    const turns = { atOnce: config.organizationsAtOnce, unansweredMs: timing.unansweredMs };
    let done = 0;
    const bar = open.isTerminal
      ? createProgressBar((columns) =>
          `${done}/${counted(entries.length, 'organization')}`.slice(0, Math.max(0, columns - 1)),
        )
      : undefined;
    bar?.start();
    const ends = await inTurns(inOrder, turns, async (entry, onEvent) => {
      const startedAt = performance.now();
      let organizationId = bound.get(entry.name)?.organizationId ?? null;
      const watch = (event: RunEvent) => {
        onEvent(event);
        if (event.type === 'planned') organizationId = event.organizationId;
      };
      const end = await attempt(async () => {
        abort.signal.throwIfAborted();
        return await withOwnAbort({ ...open, shared }, (ownAbort) =>
          work({
            ...surroundingsOf(entry, ownAbort, asksPlatform, { onEvent: watch, beforeLine: bar?.makeRoom }),
            warehouse,
            name: entry.name,
            bound: bound.get(entry.name),
          }),
        );
      });
      done += 1;
      return { name: entry.name, organizationId, ...end, durationMs: performance.now() - startedAt };
    });
    bar?.stop();
    const place = new Map(names.map((name, index) => [name, index]));
    ends.sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
    await afterwards?.(ends, open);
    return ends;
  });
}

/** The end of the last run that loaded an organization, in ms since 1970; 0 without one. */
function loadedMs(bound: ReadonlyMap<string, BoundName>, { name }: OrganizationEntry): number {
  return bound.get(name)?.loadedAt?.getTime() ?? 0;
}

async function attempt<Result>(
  work: () => Promise<Result>,
): Promise<Pick<OrganizationEnd<Result>, 'result' | 'error'>> {
  try {
    return { result: await work(), error: undefined };
  } catch (error) {
    return { result: undefined, error };
  }
}
