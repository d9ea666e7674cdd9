import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { containers, docker, dockerEnds, hasContainers, systemImage, until } from '../support/containers.ts';

/** What systemd needs of a container: its hierarchy, and the rights to make namespaces for its services and see into them. */
const rights = [
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

/** A machine with the program installed, whose processes and services are started as on a real one. */
class Machine {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  static async boot(image: string, platform: string): Promise<Machine> {
    const name = `machine-${randomUUID()}`;
    // Credentials are mounted by one process for others to see.
    const init = ['sh', '-c', 'mount --make-rshared / && exec /sbin/init'];
    await docker(
      'run',
      '--detach',
      `--name=${name}`,
      `--network=container:${platform}`,
      ...rights,
      image,
      ...init,
    );
    const machine = new Machine(name);
    await until(async () => (await machine.ends('systemctl is-system-running')).said.trim() === 'running');
    return machine;
  }

  ends(script: string): Promise<{ code: number; said: string }> {
    return dockerEnds('exec', this.#name, 'sh', '-ec', script);
  }

  async shell(script: string): Promise<string> {
    const { code, said } = await this.ends(script);
    if (code !== 0)
      throw new Error(`${script}: ${said}\n${(await this.ends('journalctl --no-pager --lines=30')).said}`);
    return said;
  }

  async put(text: string, path: string, mode: string, owner = 'root'): Promise<void> {
    const file = join(mkdtempSync(join(tmpdir(), 'usage-etl-system-')), 'file');
    writeFileSync(file, text);
    await docker('cp', file, `${this.#name}:${path}`);
    await this.shell(`chmod ${mode} ${path} && chown ${owner} ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await dockerEnds('rm', '--force', '--volumes', this.#name);
  }
}

describe.skipIf(!hasContainers)('a machine', () => {
  const image = `system-${randomUUID()}`;
  const [platform, database] = [`${image}-platform`, `${image}-database`];
  const psql = async (of: string, sql: string) =>
    await docker(
      ...['exec', '--env=PGPASSWORD=4711', database, 'psql', '--host=127.0.0.1', '--username=postgres'],
      ...['--no-align', '--tuples-only', '--command', sql, of],
    );
  const url = (of: string) => `postgres://postgres:4711@127.0.0.1/${of}?sslmode=disable`;
  const settings = 'API_BASE_URL=http://127.0.0.1:8080\nREQUESTS_PER_SECOND=1000\n';

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'usage-etl-system-'));
    writeFileSync(
      join(folder, 'Dockerfile'),
      `FROM ${systemImage}\nCOPY --from=usage-etl /app /app\nRUN ln -s /app/dist/jobs/usage-etl.cjs /usr/local/bin/usage-etl\n`,
    );
    await docker('build', '--quiet', '--tag', image, folder);
    const simulate = ['simulate', '--port', '8080', '--api-key', 'key-4711', '--users', '20'];
    await docker('run', '--detach', `--name=${platform}`, 'usage-etl', ...simulate);
    const own = [`--name=${database}`, `--network=container:${platform}`, '--env=POSTGRES_PASSWORD=4711'];
    await docker('run', '--detach', ...own, '--tmpfs=/var/lib/postgresql', 'postgres:18');
    await until(
      async () => (await dockerEnds('exec', database, 'pg_isready', '--host=127.0.0.1')).code === 0,
    );
    await psql('postgres', 'create database of_systemd');
    await psql('postgres', 'create database of_cron');
    return () => containers(database, platform)[Symbol.asyncDispose]();
  });

  test('systemd migrates, loads a night as a user that exists for it only, and leaves to people what takes them', async () => {
    await using machine = await Machine.boot(image, platform);
    await machine.shell('install --directory --mode=0700 /etc/usage-etl');
    await machine.put(settings, '/etc/usage-etl/settings', '0600');
    await machine.put('key-4711\n', '/etc/usage-etl/api-key', '0600');
    await machine.put(`${url('of_systemd')}\n`, '/etc/usage-etl/database-url', '0600');
    for (const unit of ['usage-etl.service', 'usage-etl.timer'])
      await machine.put(
        readFileSync(`deploy/systemd/${unit}`, 'utf8'),
        `/etc/systemd/system/${unit}`,
        '0644',
      );
    // In a container nobody maps users anew; all else is tried as it stands.
    await machine.shell('mkdir /etc/systemd/system/usage-etl.service.d');
    const path = '/etc/systemd/system/usage-etl.service.d/container.conf';
    await machine.put('[Service]\nPrivateUsers=no\n', path, '0644');
    await machine.shell('systemctl daemon-reload');
    // As it stands in the document.
    const [other] =
      /^systemd-run[^`]*migrate'$/m.exec(readFileSync('deploy/systemd/README.md', 'utf8')) ?? [];
    await machine.shell(other ?? 'exit 1');
    await machine.shell('systemctl enable --now usage-etl.timer');
    expect(await machine.shell('systemctl list-timers usage-etl.timer')).toContain('usage-etl.service');
    await machine.shell('systemctl start usage-etl.service');
    const result = 'systemctl show usage-etl.service --property=Result,ExecMainStatus';
    expect(await machine.shell(result)).toBe('Result=success\nExecMainStatus=0\n');
    expect(await psql('of_systemd', lastDay)).toBe('5');

    await machine.put('another-key\n', '/etc/usage-etl/api-key', '0600');
    expect((await machine.ends('systemctl start usage-etl.service')).code).not.toBe(0);
    expect(await machine.shell(result)).toBe('Result=exit-code\nExecMainStatus=3\n');
    // It does not wait for a next try.
    expect(await machine.shell('systemctl is-failed usage-etl.service')).toBe('failed\n');
    await machine.put('key-4711\n', '/etc/usage-etl/api-key', '0600');
    await machine.shell('systemctl start usage-etl.service');
  });

  test('cron keeps the night, and what it logs is in the journal', async () => {
    await using machine = await Machine.boot(image, platform);
    await machine.shell('useradd --system --create-home --home-dir /var/lib/usage-etl usage-etl');
    await machine.shell('install --directory --owner=usage-etl --mode=0700 /etc/usage-etl');
    const own = `${settings}API_KEY=key-4711\nDATABASE_URL=${url('of_cron')}\n`;
    await machine.put(own, '/etc/usage-etl/.env', '0600', 'usage-etl');
    await machine.shell("su usage-etl --shell /bin/sh --command 'cd /etc/usage-etl && usage-etl migrate'");
    // The next minute instead of the next night.
    const crontab = readFileSync('deploy/cron/usage-etl', 'utf8').replace('15 2 * * *', '* * * * *');
    await machine.put(crontab, '/etc/cron.d/usage-etl', '0644');
    await until(async () => (await psql('of_cron', lastDay)) === '5');
    await until(async () =>
      (await machine.ends('journalctl --identifier=usage-etl --output=cat')).said.includes('slices'),
    );
  });
});
