/** The client of platform-api.md §4.5: one function per call; answers are returned unchanged. */
import { RequestFailedError } from '../model/errors.ts';
import { pathOf } from '../model/platform/call.ts';
import {
  type AnsweredComputer,
  answeredComputer,
  answeredComputers,
  type ComputersQuery,
  type CreateComputer,
  computerCalls,
  type UpdateComputer,
} from '../model/platform/computers.ts';
import { openedAs } from './json-answer.ts';
import type { PlatformClient } from './platform-client.ts';

const openOne = openedAs(answeredComputer);
const openAll = openedAs(answeredComputers);

/** All calls throw what `PlatformClient.send` throws, and `UnexpectedAnswerError` for an invalid answer. */
export interface ComputersClient {
  list(query?: ComputersQuery): Promise<readonly AnsweredComputer[]>;
  /** The computer with this id; undefined without one. */
  byId(computerId: string): Promise<AnsweredComputer | undefined>;
  /** The computer with this name; undefined without one. */
  byName(name: string): Promise<AnsweredComputer | undefined>;
  /**
   * `create`, `update` and `installDependencies` are sent once. When the answer is lost, the caller must look up whether
   * the change was made.
   */
  create(body: CreateComputer): Promise<AnsweredComputer>;
  update(computerId: string, body: UpdateComputer): Promise<AnsweredComputer>;
  installDependencies(computerId: string): Promise<AnsweredComputer>;
}

/** Creates a client for computers on top of a platform client. */
export function computersClient(client: Pick<PlatformClient, 'get' | 'send'>): ComputersClient {
  const { create, list, read, readByName, update, installDependencies } = computerCalls;
  const find = (path: string) => client.get(path, {}, openOne).catch(undefinedForNobody);
  const listed = (query: ComputersQuery) => client.get(list.path, givenOf(query), openAll);
  return {
    list: async (query = {}) => (await listed(query)).computers,
    byId: (computerId) => find(pathOf(read, { computerId })),
    byName: (name) => find(pathOf(readByName, { name })),
    create: (body) =>
      client.send({ method: create.method, path: create.path, body, isRepeatable: false }, openOne),
    update: (computerId, body) =>
      client.send(
        { method: update.method, path: pathOf(update, { computerId }), body, isRepeatable: false },
        openOne,
      ),
    installDependencies: (computerId) =>
      client.send(
        {
          method: installDependencies.method,
          path: pathOf(installDependencies, { computerId }),
          isRepeatable: false,
        },
        openOne,
      ),
  };
}

function undefinedForNobody(error: unknown): undefined {
  if (error instanceof RequestFailedError && error.status === 404) return undefined;
  throw error;
}

function givenOf(query: ComputersQuery): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
