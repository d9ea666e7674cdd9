import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { containers, docker, dockerEnds, hasContainers, systemImage, until } from '../support/containers.ts';

/** What systemd needs of a container: its hierarchy, and the rights to make namespaces for its services. */
const machine = [
  '--cap-add=SYS_ADMIN',
  '--cap-add=NET_ADMIN',
  '--security-opt=seccomp=unconfined',
  '--security-opt=apparmor=unconfined',
  '--tmpfs=/run',
  '--tmpfs=/run/lock',
  '--volume=/sys/fs/cgroup:/sys/fs/cgroup:rw',
  '--env=container=docker',
];
const lastDay =
  "select count(*) from etl.slice where status = 'loaded' and usage_date = (now() at time zone 'utc')::date - 1";

describe.skipIf(!hasContainers)('a machine', () => {
  const name = `system-${randomUUID()}`;
  const [platform, database, system] = [`${name}-platform`, `${name}-database`, `${name}-machine`];
  const inside = (...command: string[]) => dockerEnds('exec', system, ...command);
  const shell = async (script: string) => {
    const { code, said } = await inside('sh', '-ec', script);
    expect(code, said).toBe(0);
    return said;
  };
  const psql = async (of: string, sql: string) =>
    await docker(
      'exec',
      '--env=PGPASSWORD=4711',
      database,
      'psql',
      '--host=127.0.0.1',
      '--username=postgres',
      '--no-align',
      '--tuples-only',
      '--command',
      sql,
      of,
    );
  const url = (of: string) => `postgres://postgres:4711@127.0.0.1/${of}?sslmode=disable`;
  const settings = 'API_BASE_URL=http://127.0.0.1:8080\nREQUESTS_PER_SECOND=1000\n';

  /** Puts a file into the machine. */
  async function put(text: string, path: string, mode: string, owner = 'root'): Promise<void> {
    const file = join(mkdtempSync(join(tmpdir(), 'usage-etl-system-')), 'file');
    writeFileSync(file, text);
    await docker('cp', file, `${system}:${path}`);
    await shell(`chmod ${mode} ${path} && chown ${owner} ${path}`);
  }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'usage-etl-system-'));
    writeFileSync(
      join(folder, 'Dockerfile'),
      `FROM ${systemImage}\nCOPY --from=usage-etl /app /app\nRUN ln -s /app/dist/jobs/usage-etl.cjs /usr/local/bin/usage-etl\n`,
    );
    await docker('build', '--quiet', '--tag', name, folder);
    await docker(
      'run',
      '--detach',
      `--name=${platform}`,
      'usage-etl',
      'simulate',
      '--port',
      '8080',
      '--api-key',
      'key-4711',
      '--users',
      '20',
    );
    await docker(
      'run',
      '--detach',
      `--name=${database}`,
      `--network=container:${platform}`,
      '--env=POSTGRES_PASSWORD=4711',
      '--tmpfs=/var/lib/postgresql',
      'postgres:18',
    );
    await docker('run', '--detach', `--name=${system}`, `--network=container:${platform}`, ...machine, name);
    await until(async () => (await inside('systemctl', 'is-system-running')).said.trim() === 'running');
    await until(
      async () => (await dockerEnds('exec', database, 'pg_isready', '--host=127.0.0.1')).code === 0,
    );
    await psql('postgres', 'create database of_systemd');
    await psql('postgres', 'create database of_cron');
    return () => containers(system, database, platform)[Symbol.asyncDispose]();
  });

  test('systemd migrates, loads a night as a user that exists for it only, and knows which failures to leave to people', async () => {
    await shell('install --directory --mode=0700 /etc/usage-etl');
    await put(settings, '/etc/usage-etl/settings', '0600');
    await put('key-4711\n', '/etc/usage-etl/api-key', '0600');
    await put(`${url('of_systemd')}\n`, '/etc/usage-etl/database-url', '0600');
    for (const unit of ['usage-etl.service', 'usage-etl.timer'])
      await put(readFileSync(`deploy/systemd/${unit}`, 'utf8'), `/etc/systemd/system/${unit}`, '0644');
    await shell('systemctl daemon-reload && systemctl enable --now usage-etl.timer');
    expect(await shell('systemctl list-timers usage-etl.timer')).toContain('usage-etl.service');
    // As it stands in the document.
    const [other] =
      /^systemd-run[^`]*migrate'$/m.exec(readFileSync('deploy/systemd/README.md', 'utf8')) ?? [];
    await shell(other ?? 'exit 1');
    const result = async () =>
      await shell('systemctl show usage-etl.service --property=Result,ExecMainStatus,User,DynamicUser');
    await shell('systemctl start usage-etl.service');
    expect(await result()).toMatch(
      /Result=success\nExecMainStatus=0\n|ExecMainStatus=0\n[\s\S]*Result=success/,
    );
    expect(await psql('of_systemd', lastDay)).toBe('5');

    await put('another-key\n', '/etc/usage-etl/api-key', '0600');
    expect((await inside('systemctl', 'start', 'usage-etl.service')).code).not.toBe(0);
    expect(await result()).toMatch(/ExecMainStatus=3/);
    expect(await shell('systemctl is-failed usage-etl.service')).toBe('failed\n');
    // A person puts the key right; nobody else is asked meanwhile.
    await put('key-4711\n', '/etc/usage-etl/api-key', '0600');
    await shell('systemctl start usage-etl.service');
  });

  test('cron keeps the night, and what it logs is in the journal', async () => {
    await shell('useradd --system --create-home --home-dir /var/lib/usage-etl usage-etl');
    await shell('install --directory --owner=usage-etl --mode=0755 /etc/usage-etl');
    await put(
      `${settings}API_KEY=key-4711\nDATABASE_URL=${url('of_cron')}\n`,
      '/etc/usage-etl/.env',
      '0600',
      'usage-etl',
    );
    await shell('cd /etc/usage-etl && runuser -u usage-etl -- usage-etl migrate');
    const crontab = readFileSync('deploy/cron/usage-etl', 'utf8');
    // The next minute instead of the next night.
    await put(crontab.replace('15 2 * * *', '* * * * *'), '/etc/cron.d/usage-etl', '0644');
    await until(async () => (await psql('of_cron', lastDay)) === '5');
    await shell('rm /etc/cron.d/usage-etl');
    await until(async () =>
      (await shell('journalctl --identifier=usage-etl --output=cat')).includes('slices'),
    );
  });
});
