import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ComposeStack } from '../support/compose-stack.ts';
import { docker, dockerEnds, hasContainers, until } from '../support/containers.ts';
import { isInstalled } from '../support/deploy-tools.ts';
import { freePort } from '../support/free-port.ts';

const alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.object({ alertname: z.string() }) })),
  }),
});

const series = z.object({ data: z.array(z.object({ alertname: z.string() })) });

/** Prometheus beside the stack, with the rules of deploy/prometheus; what they wait for is cut to seconds. */
class Watcher {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async start(target: string): Promise<Watcher & AsyncDisposable> {
    const folder = mkdtempSync(join(tmpdir(), 'usage-etl-prometheus-'));
    const rules = readFileSync('deploy/prometheus/rules.yml', 'utf8');
    writeFileSync(join(folder, 'rules.yml'), rules.replaceAll(/\bfor: \w+/g, 'for: 4s'));
    writeFileSync(
      join(folder, 'prometheus.yml'),
      [
        'global: { scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 1s }',
        'rule_files: [rules.yml]',
        `scrape_configs: [{ job_name: usage-etl, static_configs: [{ targets: ["${target}"] }] }]`,
      ].join('\n'),
    );
    const address = `127.0.0.1:${await freePort()}`;
    const prometheus = spawn(
      'prometheus',
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    return Object.assign(new Watcher(`http://${address}`), {
      async [Symbol.asyncDispose]() {
        const ended = once(prometheus, 'exit');
        prometheus.kill();
        await ended;
        rmSync(folder, { recursive: true });
      },
    });
  }

  /** Every alert that has ever fired, by what Prometheus keeps: none is missed because nobody looked. */
  async fired(): Promise<string[]> {
    const match = encodeURIComponent('ALERTS{alertstate="firing"}');
    const answer = await fetch(`${this.#url}/api/v1/series?match[]=${match}`);
    return [...new Set(series.parse(await answer.json()).data.map(({ alertname }) => alertname))].sort();
  }

  /** The alerts that fire now. */
  async #firing(): Promise<string[]> {
    const answer = await fetch(`${this.#url}/api/v1/alerts`).catch(() => undefined);
    if (answer?.ok !== true) return ['Prometheus is not up'];
    return alerts
      .parse(await answer.json())
      .data.alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels.alertname] : []));
  }

  fires(name: string): Promise<void> {
    return until(async () => (await this.#firing()).includes(name));
  }

  /** Resolves when no alert fires. */
  isQuiet(): Promise<void> {
    return until(async () => (await this.#firing()).length === 0);
  }
}

/** A disk of its own for the database, small enough to be filled. */
function smallDisk(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'usage-etl-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700m', 'tmpfs', folder]);
  mkdirSync(join(folder, 'database'));
  return {
    folder,
    [Symbol.dispose]() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

describe.skipIf(!hasContainers || !isInstalled('prometheus'))('a stack in trouble', () => {
  test('platform down, database paused, killed and its disk full, scheduler killed: the right alerts, and a whole warehouse', {
    timeout: 900_000,
  }, async () => {
    using disk = smallDisk();
    await using stack = await ComposeStack.make();
    stack.set('CRON_SCHEDULE', '*/10 * * * * *');
    stack.override(`
        volumes:
          postgres: { driver_opts: { type: none, o: bind, device: ${disk.folder}/database } }
        services:
          demo:
            environment: { NIGHT_RETRY_MINUTES: '0.05', REQUEST_TIMEOUT_MS: '1000', MAX_RETRIES: '1' }
      `);
    await stack.compose('up', '--detach', '--wait', 'demo');
    const [simulator, database, scheduler] = await Promise.all(
      ['simulator', 'postgres', 'demo'].map((service) => stack.container(service)),
    );
    if (simulator === undefined || database === undefined || scheduler === undefined)
      throw new Error('no stack');
    const address = await docker(
      'inspect',
      simulator,
      '--format={{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
    );
    await using watcher = await Watcher.start(`${address}:9464`);
    await watcher.isQuiet();

    const began = Date.now();
    await docker('pause', simulator);
    await watcher.fires('UsageEtlNightFailedTwice');
    await until(async () => Date.now() - began > 60_000);
    await docker('unpause', simulator);
    await watcher.isQuiet();

    await docker('pause', database);
    await watcher.fires('UsageEtlDatabaseUnreachable');
    await docker('unpause', database);
    await watcher.isQuiet();

    await docker('kill', '--signal=KILL', database);
    await watcher.fires('UsageEtlDatabaseUnreachable');
    await docker('start', database);
    await watcher.isQuiet();

    // Days are missing, and there is no room for them.
    await stack.ask("delete from etl.slice where usage_date between '2026-03-01' and '2026-03-31'");
    await docker('exec', database, 'sh', '-c', 'cat /dev/zero > /var/lib/postgresql/filler || true');
    await watcher.fires('UsageEtlNightFailedTwice');
    await docker('exec', database, 'rm', '/var/lib/postgresql/filler').catch(async () => {
      // The database ended for want of room.
      rmSync(join(disk.folder, 'database/filler'));
      await docker('start', database);
    });
    await watcher.isQuiet();

    await docker('kill', '--signal=KILL', scheduler);
    await watcher.fires('UsageEtlGone');
    await docker('start', scheduler);
    await watcher.isQuiet();

    expect(await watcher.fired()).toEqual([
      'UsageEtlDatabaseUnreachable',
      'UsageEtlGone',
      'UsageEtlNightFailedTwice',
    ]);
    await until(
      async () => (await stack.ends('run', '--rm', 'demo-backfill', 'status', '--check')).code === 0,
    );
    const verified = await dockerEnds('exec', scheduler, 'usage-etl', 'verify', '--strict');
    expect(verified.code, verified.said).toBe(0);
  });
});
