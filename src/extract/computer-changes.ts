/** Changes of computers, each made once (platform-api.md §4.5). All functions throw what `changeOnce` throws. */
import { inShell } from '../model/installation.ts';
import type { AnsweredComputer, CreateComputer, UpdateComputer } from '../model/platform/computers.ts';
import { type ChangeRules, type Confirmed, changeOnce } from './change-once.ts';
import { hasMoved } from './computer-status.ts';
import type { ComputersClient } from './computers-client.ts';

/** Creates a computer. After a lost answer it is looked up by its name. */
export function createComputerOnce(
  client: ComputersClient,
  body: CreateComputer,
  rules: ChangeRules,
): Promise<Confirmed<AnsweredComputer>> {
  const name = JSON.stringify(body.name);
  return changeOnce(
    {
      inWords: `the creation of ${name}`,
      advice: `${inShell('computers list')} shows whether it exists`,
      make: () => client.create(body),
      lookUp: () => client.byName(body.name),
    },
    rules,
  );
}

/** Changes a computer. After a lost answer it is read again and compared with the wanted values. */
export function updateComputerOnce(
  client: ComputersClient,
  { id, name }: AnsweredComputer,
  body: UpdateComputer,
  rules: ChangeRules,
): Promise<Confirmed<AnsweredComputer>> {
  return changeOnce(
    {
      inWords: `the change of ${JSON.stringify(name)}`,
      advice: `${inShell(`computers show ${id}`)} shows how it is`,
      make: () => client.update(id, body),
      async lookUp() {
        const now = await client.byId(id);
        const isAsWanted = Object.entries(body).every(([field, value]) => now?.[field] === value);
        return isAsWanted ? now : undefined;
      },
    },
    rules,
  );
}

/** Runs the install step again. After a lost answer the computer is read again: the step may have begun. */
export function installDependenciesOnce(
  client: ComputersClient,
  before: AnsweredComputer,
  rules: ChangeRules,
): Promise<Confirmed<AnsweredComputer>> {
  return changeOnce(
    {
      inWords: `the new install step of ${JSON.stringify(before.name)}`,
      advice: `${inShell(`computers show ${before.id}`)} shows how it is`,
      make: () => client.installDependencies(before.id),
      async lookUp() {
        const now = await client.byId(before.id);
        return now !== undefined && hasMoved(before, now) ? now : undefined;
      },
    },
    rules,
  );
}
