/** The client and the simulated platform, which go by one description, understand each other. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ComputersClient, computersClient } from '../../src/extract/computers-client.ts';
import { findComputer } from '../../src/extract/find-computer.ts';
import { explain, UnexpectedAnswerError } from '../../src/model/errors.ts';
import { computer, computerCalls } from '../../src/model/platform/computers.ts';
import { sendJson } from '../support/answering-server.ts';
import { startComputersPlatform } from '../support/computers-platform.ts';
import { open, serve } from '../support/served-clients.ts';

let platform: Awaited<ReturnType<typeof startComputersPlatform>>;
let client: ComputersClient;

beforeEach(async () => {
  platform = await startComputersPlatform({ 'unknown-names': 'refuse', 'new-computers': 'error' });
  client = computersClient(open(platform));
});

afterEach(() => platform[Symbol.asyncDispose]());

const hostId = '0b0f6c0a-8a2c-11ee-b9d1-0242ac120002';
const everything = {
  name: 'näme/with ?#%',
  provider: 'byom',
  hostId,
  remoteUser: 'ada',
  repos: ['https://git.example.com/acme/web'],
  autoInstallDeps: true,
  serviceAccountId: 'sa_1',
  source: { kind: 'template' as const, templateId: 't1' },
};

describe('the client', () => {
  test('makes each documented call, and reads what is answered to it', async () => {
    const created = await client.create(everything);
    expect(computer.parse(created)).toEqual(created);
    expect(created).toMatchObject({ name: everything.name, hostId, status: 'provisioning' });
    const { id } = created;
    const list = await client.list();
    expect(list.map((each) => each.id)).toEqual([id]);
    expect(list[0]).not.toHaveProperty('provisioningSteps');
    expect(await client.list({ hostId, includeProvisioningSteps: 'true' })).toEqual([created]);
    expect(await client.list({ hostId: hostId.replace('0b', '1b') })).toEqual([]);
    expect(await client.byId(id)).toEqual(created);
    expect(await client.byName(everything.name)).toEqual(created);
    expect(await client.update(id, { name: 'web', remoteUser: 'eva' })).toEqual({
      ...created,
      name: 'web',
      remoteUser: 'eva',
    });
    expect(await client.installDependencies(id)).toMatchObject({ id, status: 'provisioning' });
    const calls = Object.values(computerCalls).map(({ method, path }) => `${method} ${path}`);
    const asked = platform.requests.map(
      ({ method, path }) =>
        `${method} ${path.replace(/name\/.+/, 'name/{name}').replace(id, '{computerId}')}`,
    );
    expect(new Set(asked)).toEqual(new Set(calls));
    expect(platform.requests.map(({ status }) => status).filter((status) => (status ?? 0) >= 300)).toEqual(
      [],
    );
  });

  test('says of a computer that there is none, and nothing else', async () => {
    expect(await client.byId('nobody')).toBeUndefined();
    expect(await client.byName('nobody')).toBeUndefined();
    await expect(client.update('nobody', { name: 'x' })).rejects.toThrow('PATCH /api/v0/computers/nobody');
  });

  test('gives what it does not know as it came', async () => {
    const odd = {
      id: 'c',
      name: '',
      status: 'paused',
      colour: { of: [1, 12345678901234567890n] },
      hostId: 7,
    };
    const text = JSON.stringify(odd, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    const server = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    );
    const other = open(server);
    const answered = await computersClient(other).byId('c');
    expect(JSON.stringify(answered)).toBe(text);
  });

  test.each([[[]], [{}], [{ id: '', name: 'x' }], [{ id: 'c', name: null }], [{ computers: [{}] }]])(
    'takes %j for no answer',
    async (body) => {
      const server = await serve((response) => sendJson(response, body));
      const other = open(server);
      await expect(computersClient(other).byId('c')).rejects.toBeInstanceOf(UnexpectedAnswerError);
      await expect(computersClient(other).list()).rejects.toBeInstanceOf(UnexpectedAnswerError);
    },
  );

  test('does not walk through an answer without a floor', async () => {
    const deep = `{"id":"c","name":"x","more":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const server = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(deep),
    );
    const other = open(server);
    const error = await computersClient(other)
      .byId('c')
      .catch((thrown: unknown) => thrown);
    expect(explain(error)).toContain('levels of nesting');
  });
});

describe('a computer is found', () => {
  test('by its id before one with that name, and else by its name', async () => {
    const first = await client.create({ name: 'web' });
    const second = await client.create({ name: first.id });
    expect(await findComputer(client, first.id)).toEqual({ computer: first, foundBy: 'id' });
    expect(await findComputer(client, 'web')).toEqual({ computer: first, foundBy: 'name' });
    await client.update(first.id, { name: 'other' });
    expect((await findComputer(client, second.id)).computer.name).toBe(first.id);
  });

  test('by its name where the platform refuses that as an id', async () => {
    const found = { computer: { id: 'c', name: 'web' }, foundBy: 'name' };
    for (const status of [400, 422]) {
      const server = await serve((response, number) =>
        number === 1 ? sendJson(response, { detail: 'no id' }, status) : sendJson(response, found.computer),
      );
      const other = open(server);
      expect(await findComputer(computersClient(other), 'web')).toEqual(found);
    }
  });

  test('or is said not to be there; a text too long for a name is asked for as an id only', async () => {
    await expect(findComputer(client, 'nobody')).rejects.toThrow(
      'no computer has the id or the name "nobody"',
    );
    await expect(findComputer(client, 'x'.repeat(64))).rejects.toThrow('no computer has');
    expect(platform.asked.filter((asked) => asked.includes('/name/'))).toEqual([
      'GET /api/v0/computers/name/nobody',
    ]);
  });
});
