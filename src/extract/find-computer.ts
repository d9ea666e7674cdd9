/** Finds a computer by its id or name. */

import { RequestFailedError } from '../model/errors.ts';
import { inShell } from '../model/installation.ts';
import { type AnsweredComputer, shortText } from '../model/platform/computers.ts';
import type { ComputersClient } from './computers-client.ts';

/** A computer, and how it was found. */
export interface FoundComputer {
  readonly computer: AnsweredComputer;
  readonly foundBy: 'id' | 'name';
}

/** Statuses with which the platform refuses a text that is no valid id or name. */
const statusesOfImpossible = new Set([400, 422]);

/**
 * The computer with this id, else with this name: an id may look like a name. Throws `RequestFailedError` when there is
 * none.
 */
export async function findComputer(
  client: Pick<ComputersClient, 'byId' | 'byName'>,
  nameOrId: string,
): Promise<FoundComputer> {
  const ofId = await client.byId(nameOrId).catch(undefinedForImpossible);
  // The platform may also find a computer by name when it is asked for an id.
  if (ofId !== undefined) return { computer: ofId, foundBy: ofId.id === nameOrId ? 'id' : 'name' };
  const mayBeName = shortText.safeParse(nameOrId).success;
  const ofName = mayBeName ? await client.byName(nameOrId).catch(undefinedForImpossible) : undefined;
  if (ofName !== undefined) return { computer: ofName, foundBy: 'name' };
  throw new RequestFailedError(
    `no computer has the id or the name ${JSON.stringify(nameOrId)}; ${inShell('computers list')} shows all`,
    { status: 404 },
  );
}

function undefinedForImpossible(error: unknown): undefined {
  if (error instanceof RequestFailedError && statusesOfImpossible.has(error.status ?? 0)) return undefined;
  throw error;
}
