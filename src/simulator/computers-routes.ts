/** The operations on computers: create, list, read, update, and run the install step again (platform-api.md §4.5). */
import { z } from 'zod';
import { computerCalls, createComputer, updateComputer } from '../model/platform/computers.ts';
import { accessToOthers, refusalsOfOthers } from './access.ts';
import { answer, Problem } from './answer.ts';
import { otherProvider } from './computers.ts';
import { type Operation, operation } from './operation.ts';
import { found, type Service } from './service.ts';

export function computersOperations(service: Service): Operation[] {
  const { points, computers } = service;
  const access = accessToOthers(service);
  const refusesUnknown = points['unknown-names'] === 'refuse';
  const badRequest = points['bad-request'];
  const refusals = refusalsOfOthers(points, badRequest);
  const refusalsOfOne = [...refusals, 404];
  /** The status of the answer when another computer has the name. */
  const conflict = points['same-name'] === 'refuse' ? [409] : [];
  const common = { badRequest, refusesUnknown, isAnalytics: false };
  /** The open point `unknown-names` applies to unknown fields as to unknown parameters. */
  const created = createComputer.extend({ provider: z.enum(['byom', otherProvider]).optional() });
  const createBody = refusesUnknown ? created.strict() : created;
  const updateBody = refusesUnknown ? updateComputer.strict() : updateComputer;

  function requireFreeName(name: string | undefined, id?: string): void {
    if (points['same-name'] === 'allow' || name === undefined) return;
    const holder = computers.findByName(name);
    if (holder !== undefined && holder.id !== id)
      throw new Problem(409, `a computer with the name ${JSON.stringify(name)} exists`);
  }

  return [
    operation(
      {
        ...common,
        ...computerCalls.create,
        body: { ...computerCalls.create.body, schema: createBody },
        refusals: [...refusals, ...conflict],
        links: linksToOne,
      },
      access,
      ({ body }) => {
        requireFreeName(body.name);
        return answer(201, computers.create(body));
      },
    ),
    operation(
      {
        ...common,
        ...computerCalls.list,
        refusals,
      },
      access,
      ({ query: { hostId, includeProvisioningSteps } }) => {
        const withSteps = includeProvisioningSteps ?? String(points['listed-steps'] === 'present');
        const all = computers.list(withSteps === 'true');
        return answer(200, {
          computers: all.filter((some) => hostId === undefined || some.hostId === hostId),
        });
      },
    ),
    operation(
      {
        ...common,
        ...computerCalls.read,
        refusals: refusalsOfOne,
      },
      access,
      ({ path: { computerId } }) => answer(200, found(computers.find(computerId), `computer ${computerId}`)),
    ),
    operation(
      {
        ...common,
        ...computerCalls.readByName,
        refusals: refusalsOfOne,
      },
      access,
      ({ path: { name } }) =>
        answer(200, found(computers.findByName(name), `computer with the name ${name}`)),
    ),
    operation(
      {
        ...common,
        ...computerCalls.update,
        body: { ...computerCalls.update.body, schema: updateBody },
        refusals: [...refusalsOfOne, ...conflict],
      },
      access,
      ({ path: { computerId }, body }) => {
        found(computers.find(computerId), `computer ${computerId}`);
        requireFreeName(body.name, computerId);
        return answer(200, found(computers.update(computerId, body), `computer ${computerId}`));
      },
    ),
    operation(
      {
        ...common,
        ...computerCalls.installDependencies,
        refusals: refusalsOfOne,
      },
      access,
      ({ path: { computerId } }) =>
        answer(202, found(computers.installAgain(computerId), `computer ${computerId}`)),
    ),
  ];
}

const toId = { parameters: { computerId: '$response.body#/id' } };
const linksToOne = {
  read: { operationId: 'read-computer', ...toId },
  readByName: { operationId: 'read-computer-by-name', parameters: { name: '$response.body#/name' } },
  update: { operationId: 'update-computer', ...toId },
  installDependencies: { operationId: 'install-dependencies', ...toId },
};
