/** Computers: created, listed, read, changed, and their install step tried again (platform-api.md §4.5). */
import { z } from 'zod';
import {
  computer,
  computerList,
  computersQuery,
  createComputer,
  shortText,
  updateComputer,
} from '../sources/computers/schema.ts';
import { accessToOthers, refusalsOfOthers } from './access.ts';
import { answer, Problem } from './answer.ts';
import { otherProvider } from './computers.ts';
import { noBody, type Operation, operation } from './operation.ts';
import { found, type Service } from './service.ts';

const root = '/api/v0/computers';
const one = { name: 'Computer', schema: computer };
const byId = z.object({
  computerId: z.string().meta({ format: 'computer-id', examples: ['computer_000001'] }),
});
const byName = z.object({ name: shortText.meta({ examples: ['build-01'] }) });
const nothing = z.object({});

export function computersOperations(service: Service): Operation[] {
  const { points, computers } = service;
  const access = accessToOthers(service);
  const refusesUnknown = points['unknown-names'] === 'refuse';
  const badRequest = points['bad-request'];
  const refusals = refusalsOfOthers(points, badRequest);
  const refusalsOfOne = [...refusals, 404];
  /** A name that is taken. */
  const conflict = points['same-name'] === 'refuse' ? [409] : [];
  const common = {
    section: '§4.5',
    badRequest,
    refusesUnknown,
    isAnalytics: false,
    query: nothing,
    body: noBody,
  };
  /** Unknown fields are the same open point as unknown parameters. */
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
        id: 'create-computer',
        summary: 'Creates a computer',
        method: 'POST',
        path: root,
        pathParameters: nothing,
        body: {
          name: 'CreateComputer',
          schema: createBody,
        },
        success: { ...one, status: 201 },
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
        id: 'list-computers',
        summary: 'Lists the computers of the organization',
        method: 'GET',
        path: root,
        pathParameters: nothing,
        query: computersQuery,
        success: { name: 'Computers', schema: computerList, status: 200 },
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
        id: 'read-computer',
        summary: 'Reads a computer',
        method: 'GET',
        path: `${root}/{computerId}`,
        pathParameters: byId,
        success: { ...one, status: 200 },
        refusals: refusalsOfOne,
      },
      access,
      ({ path: { computerId } }) => answer(200, found(computers.find(computerId), `computer ${computerId}`)),
    ),
    operation(
      {
        ...common,
        id: 'read-computer-by-name',
        summary: 'Reads the computer with a name',
        method: 'GET',
        path: `${root}/name/{name}`,
        pathParameters: byName,
        success: { ...one, status: 200 },
        refusals: refusalsOfOne,
      },
      access,
      ({ path: { name } }) =>
        answer(200, found(computers.findByName(name), `computer with the name ${name}`)),
    ),
    operation(
      {
        ...common,
        id: 'update-computer',
        summary: 'Changes a computer',
        method: 'PATCH',
        path: `${root}/{computerId}`,
        pathParameters: byId,
        body: { name: 'UpdateComputer', schema: updateBody },
        success: { ...one, status: 200 },
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
        id: 'install-dependencies',
        summary: 'Tries the install step of a computer again',
        method: 'POST',
        path: `${root}/{computerId}/install-deps`,
        pathParameters: byId,
        success: { ...one, status: 202 },
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
