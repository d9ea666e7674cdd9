/** Changes whose answers are lost. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeRules } from '../../src/extract/change-once.ts';
import {
  createComputerOnce,
  installDependenciesOnce,
  updateComputerOnce,
} from '../../src/extract/computer-changes.ts';
import { computersClient } from '../../src/extract/computers-client.ts';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import { CredentialsRefusedError, explain, InterruptedError } from '../../src/model/errors.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import type { Choices } from '../../src/simulator/open-points.ts';
import { type Spoil, startComputersPlatform } from '../support/computers-platform.ts';
import { openClient } from '../support/platform-access.ts';
import { quickTiming } from '../support/timing.ts';

const root = '/api/v0/computers';
const post = `POST ${root}`;
const look = `GET ${root}/name/web`;

let platform: Awaited<ReturnType<typeof startComputersPlatform>>;
let connection: PlatformClient;
let lost: string[];
/** Shorter where nothing comes. */
let patienceMs: number;

beforeEach(() => {
  patienceMs = 60_000;
});

afterEach(async () => {
  await connection.close();
  await platform[Symbol.asyncDispose]();
});

/** A client of a platform that is spoiled so, and rules that are in a hurry. */
async function open(spoil: Spoil, choices: Choices = {}, signal = new AbortController().signal) {
  platform = await startComputersPlatform(choices, spoil);
  connection = openClient(platform.url, { maxRetries: 2, requestTimeoutMs: patienceMs, signal });
  lost = [];
  const rules: ChangeRules = {
    maxRetries: 2,
    signal,
    timing: quickTiming,
    onLost: (sentence) => lost.push(sentence),
  };
  return { client: computersClient(connection), rules };
}

/** Spoils the first requests to the list of computers. */
const creation =
  (fault: Fault, times = 1): Spoil =>
  (asked, number) =>
    asked === post && number <= times ? fault : undefined;

const names = () => platform.computers.list(false).map(({ name }) => name);
const isJson = { 'content-type': 'application/json' };

/** Faults after which the computer is there, and faults after which it is not. */
const afterwards: readonly [string, Fault][] = [
  ['the connection is cut in the answer', { kind: 'truncate' }],
  ['the answer is no JSON', { kind: 'garbage' }],
  ['the answer is of another type', { kind: 'wrong-type' }],
  ['the answer is no computer', { kind: 'mutate', mutate: () => ({ ok: true }) }],
];
const before: readonly [string, Fault][] = [
  ['the connection is reset', { kind: 'reset' }],
  ['nothing comes', { kind: 'hang' }],
  ['500', { kind: 'status', status: 500, headers: isJson }],
  ['503', { kind: 'status', status: 503, headers: isJson }],
  ['a page of a proxy', { kind: 'html' }],
];

describe('a creation whose answer is lost', () => {
  test.each(afterwards)('is found by its name, and not sent again: %s', async (_, fault) => {
    const { client, rules } = await open(creation(fault), { 'same-name': 'allow' });
    const { outcome, confirmedBy } = await createComputerOnce(client, { name: 'web' }, rules);
    expect({ name: outcome.name, confirmedBy }).toEqual({ name: 'web', confirmedBy: 'look-up' });
    expect(platform.asked).toEqual([post, look]);
    expect(names()).toEqual(['web']);
    expect(lost).toEqual([expect.stringContaining('the answer to the creation of "web" was lost')]);
  });

  test.each(before)('is sent again when no computer has its name: %s', async (_, fault) => {
    if (fault.kind === 'hang') patienceMs = 2_000;
    const { client, rules } = await open(creation(fault), { 'same-name': 'allow' });
    const { confirmedBy } = await createComputerOnce(client, { name: 'web' }, rules);
    expect(confirmedBy).toBe('answer');
    expect(platform.asked).toEqual([post, look, post]);
    expect(names()).toEqual(['web']);
  });

  test('is found when the second try is refused because the first one came through late', async () => {
    const spoil: Spoil = (asked, number) => {
      if (asked === post && number === 1) return { kind: 'truncate' };
      // The platform is not up to date with itself.
      return asked === look && number === 1 ? { kind: 'status', status: 404 } : undefined;
    };
    const { client, rules } = await open(spoil, { 'same-name': 'refuse' });
    const { confirmedBy } = await createComputerOnce(client, { name: 'web' }, rules);
    expect(confirmedBy).toBe('look-up');
    expect(platform.asked).toEqual([post, look, post, look]);
    expect(names()).toEqual(['web']);
  });

  test('is given up after the last try, with a look at what there is after each', async () => {
    const { client, rules } = await open(creation({ kind: 'reset' }, 9));
    await expect(createComputerOnce(client, { name: 'web' }, rules)).rejects.toThrow(
      'the platform shows no sign of the creation of "web"',
    );
    expect(platform.asked).toEqual([post, look, post, look, post, look]);
  });

  test('is not sent again while nobody can say what became of it', async () => {
    const { client, rules } = await open((asked) =>
      asked === post ? { kind: 'truncate' } : { kind: 'status', status: 500, headers: isJson },
    );
    const error = await createComputerOnce(client, { name: 'web' }, rules).catch((thrown: unknown) => thrown);
    expect(explain(error)).toMatch(
      /^it is not known whether the creation of "web" succeeded; .*computers list/,
    );
    expect(platform.asked.filter((asked) => asked === post)).toHaveLength(1);
  });

  test('is not sent again by a command that was told to end meanwhile', async () => {
    const abort = new AbortController();
    const { client, rules } = await open(
      (asked) => {
        if (asked === post) abort.abort(new InterruptedError('interrupted by SIGTERM'));
        return { kind: 'hang' };
      },
      {},
      abort.signal,
    );
    const error = await createComputerOnce(client, { name: 'web' }, rules).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InterruptedError);
    expect(explain(error)).toMatch(/^it is not known whether the creation of "web" succeeded.*SIGTERM/);
    expect(platform.asked).toEqual([post]);
  });
});

describe('a creation that is refused', () => {
  test.each([400, 404, 409, 422])('with %i is over', async (status) => {
    const { client, rules } = await open(creation({ kind: 'status', status }, 9));
    await expect(createComputerOnce(client, { name: 'web' }, rules)).rejects.toMatchObject({ status });
    expect(platform.asked).toEqual([post]);
  });

  test.each([401, 403])('with %i says that it is the credential', async (status) => {
    const { client, rules } = await open(creation({ kind: 'status', status }, 9));
    await expect(createComputerOnce(client, { name: 'web' }, rules)).rejects.toBeInstanceOf(
      CredentialsRefusedError,
    );
    expect(platform.asked).toEqual([post]);
  });

  test('with 429 was not looked at, and is sent again', async () => {
    const { client, rules } = await open(creation({ kind: 'status', status: 429 }));
    expect((await createComputerOnce(client, { name: 'web' }, rules)).confirmedBy).toBe('answer');
    expect(platform.asked).toEqual([post, post]);
  });
});

describe('another change whose answer is lost', () => {
  const path = `${root}/computer_000001`;
  const changing =
    (line: string, fault: Fault): Spoil =>
    (asked, number) =>
      asked === line && number === 1 ? fault : undefined;

  test.each([
    ['truncate', [`PATCH ${path}`, `GET ${path}`], 'look-up'],
    ['reset', [`PATCH ${path}`, `GET ${path}`, `PATCH ${path}`], 'answer'],
  ] as const)('is made once: update, %s', async (kind, asked, confirmedBy) => {
    const { client, rules } = await open(changing(`PATCH ${path}`, { kind }));
    const created = platform.computers.create({ name: 'web' });
    const changed = await updateComputerOnce(client, created, { name: 'new', remoteUser: 'ada' }, rules);
    expect(changed).toMatchObject({ confirmedBy, outcome: { name: 'new', remoteUser: 'ada' } });
    expect(platform.asked).toEqual(asked);
  });

  test.each([
    ['truncate', [`POST ${path}/install-deps`, `GET ${path}`], 'look-up'],
    ['reset', [`POST ${path}/install-deps`, `GET ${path}`, `POST ${path}/install-deps`], 'answer'],
  ] as const)('is made once: install-deps, %s', async (kind, asked, confirmedBy) => {
    const { client, rules } = await open(changing(`POST ${path}/install-deps`, { kind }), {
      'new-computers': 'error',
    });
    platform.computers.create({ name: 'web' }, Date.now() - 3_600_000);
    const failed = platform.computers.find('computer_000001');
    expect(failed?.status).toBe('error');
    const begun = await installDependenciesOnce(client, failed ?? { id: '', name: '' }, rules);
    expect(begun).toMatchObject({ confirmedBy, outcome: { status: 'provisioning' } });
    expect(platform.asked).toEqual(asked);
  });
});
