/** Which computer is meant by a name or an id. */

import { RequestFailedError } from '../model/errors.ts';
import { inShell } from '../model/installation.ts';
import { type AnsweredComputer, shortText } from '../model/platform/computers.ts';
import type { ComputersClient } from './computers-client.ts';

/** A computer, and what of it the given text is. */
export interface FoundComputer {
  readonly computer: AnsweredComputer;
  readonly foundBy: 'id' | 'name';
}

/** What a text may be refused with that cannot be an id, or a name. */
const statusesOfImpossible = new Set([400, 422]);

/**
 * The computer with this id, else the one with this name: an id may look like a name. Throws `RequestFailedError` where
 * there is none.
 */
export async function findComputer(
  client: Pick<ComputersClient, 'byId' | 'byName'>,
  nameOrId: string,
): Promise<FoundComputer> {
  const ofId = await client.byId(nameOrId).catch(undefinedForImpossible);
  // What is asked for as an id may be answered by name.
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
