/** The alert rules for Prometheus: they fire, resolve, and name only metrics that there are. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openGauges } from '../../src/reporting/gauges.ts';
import { openQueueMetrics } from '../../src/reporting/queue-metrics.ts';
import { openRunMetrics } from '../../src/reporting/run-metrics.ts';
import { hasPromtool, promtool } from '../support/promtool.ts';

const fileOf = (name: string) => fileURLToPath(new URL(`../../deploy/prometheus/${name}`, import.meta.url));

test.skipIf(!hasPromtool)('promtool accepts the rules, and each fires and resolves in its tests', () => {
  promtool(['check', 'rules', fileOf('rules.yml')]);
  expect(promtool(['test', 'rules', fileOf('rules.test.yml')])).toContain('SUCCESS');
});

test('every rule has a test in which it fires, and one in which it does not', async () => {
  const rules = await readFile(fileOf('rules.yml'), 'utf8');
  const tests = await readFile(fileOf('rules.test.yml'), 'utf8');
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  expect(alerts.length).toBeGreaterThanOrEqual(7);
  for (const name of alerts) {
    expect(tests).toMatch(new RegExp(`alertname: ${name}\n? *,? *exp_alerts`));
    expect(tests).toContain(`alertname: ${name} }`);
  }
});

test('the rules name metrics that there are', async () => {
  const rules = await readFile(fileOf('rules.yml'), 'utf8');
  const registry = new Registry();
  const sanitize = (text: string) => text;
  openRunMetrics({ registry, sanitize, endpoints: ['users'], mostOrganizations: () => 100 });
  openGauges(registry, sanitize);
  openQueueMetrics(registry);
  const known = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const named = [...new Set([...rules.matchAll(/\busage_etl_\w+/g)].map(([name]) => name))];
  expect(named.length).toBeGreaterThanOrEqual(6);
  for (const name of named) expect(known).toContain(name);
});
