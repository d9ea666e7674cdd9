import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ComposeStack } from '../support/compose-stack.ts';
import { docker, hasContainers } from '../support/containers.ts';

const held =
  "select count(distinct usage_date)::int as days, count(distinct endpoint)::int as endpoints from etl.slice where status = 'loaded'";

describe.skipIf(!hasContainers)('docker-compose.yml', () => {
  test('brings up a warehouse that a demo platform fills, and that survives restarts, kills and an upgrade', async () => {
    await using stack = await ComposeStack.make();
    await stack.compose('up', '--detach', '--wait', 'demo');
    const before = await stack.ask(held);
    expect(before).toEqual([{ days: expect.any(Number), endpoints: 7 }]);
    expect((await stack.ends('run', '--rm', 'demo-backfill', 'verify', '--strict')).code).toBe(0);

    await stack.compose('restart', 'demo', 'postgres');
    await stack.compose('up', '--detach', '--wait', 'demo');
    const demo = await stack.container('demo');
    await docker('kill', '--signal=KILL', demo);
    await stack.compose('up', '--detach', '--wait', 'demo');
    expect((await stack.ends('run', '--rm', 'demo-backfill', 'status', '--check')).code).toBe(0);

    // An image of tomorrow, with one more migration.
    const folder = mkdtempSync(join(tmpdir(), 'usage-etl-upgrade-'));
    writeFileSync(join(folder, '9999_later.sql'), "comment on schema etl is 'after the upgrade';\n");
    writeFileSync(
      join(folder, 'Dockerfile'),
      'FROM usage-etl\nCOPY 9999_later.sql /app/dist/sql/migrations/\n',
    );
    await docker('build', '--quiet', '--tag=usage-etl:later', folder);
    await stack.compose('down');
    stack.set('USAGE_ETL_IMAGE', 'usage-etl:later');
    await stack.compose('up', '--detach', '--wait', 'demo');
    expect(await stack.ask("select obj_description('etl'::regnamespace)")).toEqual([
      { obj_description: 'after the upgrade' },
    ]);
    expect(await stack.ask(held)).toEqual(before);
  });

  test('keeps secrets in files that only the program can read', async () => {
    await using stack = await ComposeStack.make();
    stack.set('API_KEY', 'key-that-nobody-sees-4711');
    await stack.compose('up', '--detach', '--wait');
    const scheduler = await stack.container('scheduler');
    expect(await docker('inspect', scheduler)).not.toMatch(/key-that-nobody-sees|postgres:\/\//);
    expect(await docker('exec', scheduler, 'cat', '/run/secrets/api-key')).toBe('key-that-nobody-sees-4711');
    expect((await stack.ends('logs')).said).not.toContain('key-that-nobody-sees');
  });
});
