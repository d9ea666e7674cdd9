import { describe, expect, test } from 'vitest';
import { type Computer, computer, computerList } from '../../src/model/platform/computers.ts';
import { bodyAs, startOfTests, startWholePlatform } from './whole-platform.ts';

const root = '/api/v0/computers';

describe('a computer that was created', () => {
  test('is provisioned step by step, and is active when the time is over', async () => {
    await using platform = await startWholePlatform({ 'new-computers': 'active', 'provisioning-ms': '3000' });
    const body = {
      name: 'new-one',
      provider: 'byom',
      hostId: '0b0f6c0a-8a2c-11ee-b9d1-0242ac120002',
      remoteUser: 'ada',
      repos: ['https://git.example.com/acme/web'],
      autoInstallDeps: true,
      source: { kind: 'template', templateId: 't1' },
    };
    const created = await platform.send('POST', root, body);
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'new-one',
        providerType: 'byom',
        status: 'provisioning',
        createdAt: startOfTests,
        hostId: body.hostId,
        remoteUser: 'ada',
        computerSource: body.source,
      },
    });
    const { id } = bodyAs(computer, created);
    const look = async () => bodyAs(computer, await platform.get(`${root}/${id}`));
    const states = ({ provisioningSteps = [] }: Computer) => provisioningSteps.map(({ status }) => status);
    expect(states(await look())).toEqual(['running', 'pending', 'pending']);
    platform.wait(2_500);
    expect(states(await look())).toEqual(['completed', 'completed', 'running']);
    expect((await look()).status).toBe('provisioning');
    platform.wait(500);
    const ready = await look();
    expect(ready.status).toBe('active');
    expect(states(ready)).toEqual(['completed', 'completed', 'completed']);
    expect(ready.relayClientUrl).toMatch(/^wss:/);
    expect(ready.clonedRepoDirectories).toHaveLength(1);
    expect((await platform.get(`${root}/name/new-one`)).body).toEqual(ready);
  });

  test('ends in error where its install step fails, and is active after that was tried again', async () => {
    await using platform = await startWholePlatform({ 'provisioning-ms': '3000' });
    let failed: Computer | undefined;
    for (let number = 0; failed === undefined && number < 40; number++) {
      const { id } = bodyAs(computer, await platform.send('POST', root, { name: `n${number}` }));
      platform.wait(3_000);
      const then = bodyAs(computer, await platform.get(`${root}/${id}`));
      if (then.status === 'error') failed = then;
    }
    expect(failed?.provisioningSteps?.at(-1)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('npm'),
    });
    const retried = await platform.send('POST', `${root}/${failed?.id}/install-deps`);
    expect(retried).toMatchObject({ status: 202, body: { status: 'provisioning' } });
    platform.wait(1_000);
    expect((await platform.get(`${root}/${failed?.id}`)).body).toMatchObject({ status: 'active' });
  });

  test.each([
    ['unchanged', 'error', '1'],
    ['provisioning', 'provisioning', '60000'],
  ])('install-deps answers with the status that is chosen: %s', async (choice, status, duration) => {
    await using platform = await startWholePlatform({
      'install-deps': choice,
      'new-computers': 'error',
      'provisioning-ms': duration,
    });
    const { id } = bodyAs(computer, await platform.send('POST', root, { name: 'x' }));
    platform.wait(60_000);
    const retried = await platform.send('POST', `${root}/${id}/install-deps`);
    expect(retried.body).toMatchObject({ status });
  });

  test('has its times in seconds where that is chosen', async () => {
    await using platform = await startWholePlatform({ 'time-unit': 'seconds' });
    const created = bodyAs(computer, await platform.send('POST', root, { name: 'x' }));
    expect(created.createdAt).toBe(startOfTests / 1_000);
    expect(created.provisioningSteps?.[0]?.startedAt).toBe(startOfTests / 1_000);
  });
});

describe('the list', () => {
  test('has all computers, with steps only where they are asked for', async () => {
    await using platform = await startWholePlatform();
    const { computers } = bodyAs(computerList, await platform.get(root));
    expect(computers).toHaveLength(12);
    expect(computers.some((one) => 'provisioningSteps' in one)).toBe(false);
    const withSteps = bodyAs(computerList, await platform.get(`${root}?includeProvisioningSteps=true`));
    expect(withSteps.computers.every((one) => 'provisioningSteps' in one)).toBe(true);
    expect(new Set(computers.map(({ status }) => status))).toEqual(new Set(['active', 'error']));
  });

  test('has those of one host', async () => {
    await using platform = await startWholePlatform({ 'listed-steps': 'present' });
    const { computers } = bodyAs(computerList, await platform.get(root));
    const own = computers.find(({ hostId }) => hostId !== undefined);
    expect((await platform.get(`${root}?hostId=${own?.hostId}`)).body).toEqual({ computers: [own] });
    expect((await platform.get(`${root}?hostId=mine`)).status).toBe(400);
  });

  test('grows from day to day, and is the same after a restart', async () => {
    await using platform = await startWholePlatform();
    const before = await platform.get(root);
    platform.wait(-40 * 86_400_000);
    const { computers } = bodyAs(computerList, await platform.get(root));
    expect(computers.length).toBeGreaterThan(0);
    expect(computers.length).toBeLessThan(12);
    await using again = await startWholePlatform();
    expect(await again.get(root)).toEqual(before);
  });
});

describe('changes', () => {
  test('what is named changes, the rest stays', async () => {
    await using platform = await startWholePlatform();
    const before = bodyAs(computer, await platform.get(`${root}/computer_000001`));
    const changed = await platform.send('PATCH', `${root}/computer_000001`, { name: 'renamed' });
    expect(changed).toEqual({ status: 200, body: { ...before, name: 'renamed' } });
    expect((await platform.get(`${root}/name/build-01`)).status).toBe(404);
  });

  test.each([
    ['refuse', 409],
    ['allow', 201],
  ])('a name that is taken: %s', async (choice, status) => {
    await using platform = await startWholePlatform({ 'same-name': choice });
    expect((await platform.send('POST', root, { name: 'build-01' })).status).toBe(status);
    const own = await platform.send('PATCH', `${root}/computer_000001`, { name: 'build-01' });
    expect(own.status).toBe(200);
  });

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: '🙂'.repeat(64) }],
    [{ name: 'x', provider: 'other' }],
    [{ name: 'x', hostId: 'h' }],
    [{ name: 'x', repos: Array.from({ length: 21 }, () => 'https://git.example.com/a') }],
    [{ name: 'x', repos: [`https://git.example.com/${'a'.repeat(2048)}`] }],
    [{ name: 'x', repos: ['no address'] }],
    [{ name: 'x', serviceAccountId: '' }],
    [{ name: 'x', source: { kind: 'image', templateId: 't' } }],
    ['{"name":'],
  ])('%o creates nothing', async (body) => {
    await using platform = await startWholePlatform({ 'bad-request': '422' });
    const refused = await platform.send('POST', root, body);
    expect(refused).toEqual({
      status: 422,
      body: { title: 'Unprocessable Entity', status: 422, detail: expect.stringMatching(/\w/) },
    });
    expect(bodyAs(computerList, await platform.get(root)).computers).toHaveLength(12);
  });

  test('a name of 63 characters is taken, whatever they are', async () => {
    await using platform = await startWholePlatform();
    const name = '🙂'.repeat(63);
    expect((await platform.send('POST', root, { name })).status).toBe(201);
    expect((await platform.get(`${root}/name/${encodeURIComponent(name)}`)).body).toMatchObject({ name });
  });

  test.each([
    ['ignore', 201],
    ['refuse', 400],
  ])('a field that is not documented: %s', async (choice, status) => {
    await using platform = await startWholePlatform({ 'unknown-names': choice });
    expect((await platform.send('POST', root, { name: 'x', colour: 'red' })).status).toBe(status);
  });

  test('there is nothing to read, change or install under an id that nobody has', async () => {
    await using platform = await startWholePlatform();
    for (const [method, path, body] of [
      ['GET', 'nobody'],
      ['PATCH', 'nobody', {}],
      ['POST', 'nobody/install-deps'],
      ['GET', 'name/nobody'],
      ['GET', '%FF'],
    ] as const)
      expect((await platform.send(method, `${root}/${path}`, body)).status, path).toBe(404);
  });

  test('a computer may be called like a part of the path', async () => {
    await using platform = await startWholePlatform();
    await platform.send('POST', root, { name: 'install-deps' });
    expect((await platform.get(`${root}/name/install-deps`)).body).toMatchObject({ name: 'install-deps' });
  });
});
