import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { containers, docker, dockerEnds, hasContainers, until } from '../support/containers.ts';

const image = 'usage-etl';
const base = 'node:24-bookworm-slim';
/** Only what any user of any number may do. */
const confined = [
  '--user=48151:62342',
  '--read-only',
  '--tmpfs=/data:mode=1777',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--memory=128m',
  '--memory-swap=128m',
];

describe.skipIf(!hasContainers)('the image', () => {
  const name = `image-${randomUUID()}`;
  const platform = `${name}-platform`;
  const database = `${name}-database`;
  const settings = [
    '--env=API_BASE_URL=http://127.0.0.1:8080',
    '--env=API_KEY=key-4711',
    '--env=REQUESTS_PER_SECOND=1000',
    '--env=DATABASE_URL=postgres://postgres:4711@127.0.0.1/usage',
  ];
  const inside = [`--network=container:${platform}`, ...confined, ...settings];

  beforeAll(async () => {
    await docker(
      'run',
      '--detach',
      `--name=${platform}`,
      ...confined,
      image,
      'simulate',
      '--port',
      '8080',
      '--api-key',
      'key-4711',
      '--users',
      '200',
    );
    await docker(
      'run',
      '--detach',
      `--name=${database}`,
      `--network=container:${platform}`,
      '--env=POSTGRES_PASSWORD=4711',
      '--env=POSTGRES_DB=usage',
      '--tmpfs=/var/lib/postgresql',
      'postgres:18',
    );
    await until(
      async () => (await dockerEnds('exec', database, 'pg_isready', '--host=127.0.0.1')).code === 0,
    );
    return () => containers(platform, database)[Symbol.asyncDispose]();
  });

  test('says what it is, and is nobody special', async () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')));
    expect(
      await docker(
        'image',
        'inspect',
        image,
        '--format={{index .Config.Labels "org.opencontainers.image.version"}}',
      ),
    ).toBe(version);
    expect(await docker('image', 'inspect', image, '--format={{.Config.User}}')).toBe('10001:10001');
    expect(await docker('run', '--rm', ...confined, image, '--version')).toBe(version);
  });

  test('adds less than ten megabytes to its base, and nothing of development or of the embedded Postgres', async () => {
    const [whole, below] = await Promise.all(
      [image, base].map(async (each) => Number(await docker('image', 'inspect', each, '--format={{.Size}}'))),
    );
    expect((whole ?? 0) - (below ?? 0)).toBeLessThan(10_000_000);
    expect(
      await docker(
        'run',
        '--rm',
        '--entrypoint=sh',
        image,
        '-c',
        "find /app -name node_modules -o -name '*.map' -o -name '*.ts' -o -name 'initdb*'",
      ),
    ).toBe('');
  });

  test('migrates and loads as any user, without rights, with 128 MB, on a file system that cannot be written', async () => {
    expect(await dockerEnds('run', '--rm', ...inside, image, 'migrate')).toMatchObject({ code: 0 });
    const { code, said } = await dockerEnds(
      'run',
      '--rm',
      ...inside,
      image,
      'backfill',
      '--from',
      '2026-09-01',
    );
    expect(code, said).toBe(0);
    const verified = await dockerEnds(
      'run',
      '--rm',
      ...inside,
      image,
      'verify',
      '--strict',
      '--from',
      '2026-09-01',
    );
    expect(verified.code, verified.said).toBe(0);
  });

  test('keeps the night, is healthy meanwhile, and ends with 0 when it is asked to', async () => {
    const scheduler = `${name}-scheduler`;
    await using _ = containers(scheduler);
    await docker('run', '--detach', `--name=${scheduler}`, ...inside, image);
    await until(
      async () => (await docker('inspect', scheduler, '--format={{.State.Health.Status}}')) === 'healthy',
    );
    await docker('stop', '--time=30', scheduler);
    expect(await docker('inspect', scheduler, '--format={{.State.ExitCode}} {{.State.OOMKilled}}')).toBe(
      '0 false',
    );
  });

  test('tells by its exit code what is missing', async () => {
    const { code, said } = await dockerEnds('run', '--rm', ...confined, image);
    expect(code).toBe(2);
    expect(said).toContain('API_BASE_URL');
  });
});
