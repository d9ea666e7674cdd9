import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { parseConfig } from '../../src/model/config.ts';
import { sources } from '../../src/sources/registry.ts';
import { at, isInstalled, runTool } from '../support/deploy-tools.ts';

const folder = 'deploy/kubernetes';
const read = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'));
const workers = 'deploy/kubernetes-workers';
const readOfWorkers = (file: string): unknown => parse(readFileSync(join(workers, file), 'utf8'));
const nightly = read('nightly.yaml');
const migrate = read('migrate.yaml');
const night = at(nightly, 'spec', 'jobTemplate', 'spec');
const pods = [
  ['nightly', at(night, 'template', 'spec')],
  ['migrate', at(migrate, 'spec', 'template', 'spec')],
] as const;

test('the night begins in UTC, at the hour of the default, and never twice at once', () => {
  expect(at(nightly, 'spec', 'schedule')).toBe(
    parseConfig({}, { needsPlatform: false, sources, named: [], problems: [], readSecretFile: String })
      .cronSchedule,
  );
  expect(at(nightly, 'spec', 'timeZone')).toBe('Etc/UTC');
  expect(at(nightly, 'spec', 'concurrencyPolicy')).toBe('Forbid');
});

test('exit codes that a second try does not change end the job, and a node that goes away does not count', () => {
  expect(at(night, 'podFailurePolicy', 'rules')).toEqual([
    {
      action: 'FailJob',
      onExitCodes: { containerName: 'usage-etl', operator: 'In', values: [2, 3, 4] },
    },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
  ]);
  expect(at(migrate, 'spec', 'podFailurePolicy', 'rules', 0, 'onExitCodes', 'values')).toEqual([2]);
});

test.each(pods)(
  'the pod of %s has no rights, a file system that cannot be written, and secrets as files',
  (name, pod) => {
    // A policy for failures asks for it.
    expect(at(pod, 'restartPolicy')).toBe('Never');
    expect(at(pod, 'automountServiceAccountToken')).toBe(false);
    expect(at(pod, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(at(pod, 'containers', 0, 'args')).toEqual([name]);
    expect(at(pod, 'containers', 0, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const environment = z
      .array(z.strictObject({ name: z.string(), value: z.string() }))
      .parse(at(pod, 'containers', 0, 'env'));
    expect(environment.map((variable) => variable.name)).toEqual([
      'API_KEY_FILE',
      'DATABASE_URL_FILE',
      'DATA_DIR',
    ]);
    const mounts = z
      .array(z.object({ name: z.string(), mountPath: z.string() }))
      .parse(at(pod, 'containers', 0, 'volumeMounts'));
    for (const { value } of environment)
      expect(
        mounts.some(({ mountPath }) => value === mountPath || value.startsWith(`${mountPath}/`)),
        value,
      ).toBe(true);
  },
);

test('the settings are variables that the program knows', () => {
  const known = readFileSync('docs/settings.md', 'utf8');
  for (const line of readFileSync(join(folder, 'settings.env'), 'utf8').trim().split('\n'))
    expect(known).toContain(`\`${line.split('=')[0]}\``);
});

test('nobody reaches the pods, and they reach names, TLS and Postgres', () => {
  const policy = read('network-policy.yaml');
  expect(at(policy, 'spec', 'policyTypes')).toEqual(['Ingress', 'Egress']);
  expect(at(policy, 'spec', 'ingress')).toEqual([]);
  expect(JSON.stringify(at(policy, 'spec', 'egress')).match(/"port":\d+/g)).toEqual([
    '"port":53',
    '"port":53',
    '"port":443',
    '"port":5432',
  ]);
});

test('workers and those who order have no rights, and no key of their own; their metrics can be read', () => {
  for (const name of ['worker', 'schedule']) {
    const deployment = readOfWorkers(`${name}.yaml`);
    const pod = at(deployment, 'spec', 'template', 'spec');
    expect(at(pod, 'automountServiceAccountToken')).toBe(false);
    expect(at(pod, 'securityContext')).toMatchObject({ runAsNonRoot: true });
    expect(at(pod, 'containers', 0, 'securityContext', 'readOnlyRootFilesystem')).toBe(true);
    expect(JSON.stringify(at(pod, 'containers', 0, 'env'))).not.toContain('API_KEY');
    expect(at(deployment, 'spec', 'selector', 'matchLabels')).toEqual(
      at(deployment, 'spec', 'template', 'metadata', 'labels'),
    );
  }
  expect(at(readOfWorkers('worker.yaml'), 'spec', 'template', 'spec', 'containers', 0, 'args')).toEqual([
    'worker',
  ]);
  expect(at(readOfWorkers('schedule.yaml'), 'spec', 'template', 'spec', 'containers', 0, 'args')).toEqual([
    'schedule',
    '--enqueue',
  ]);
  // The autoscaler sets it.
  expect(at(readOfWorkers('worker.yaml'), 'spec')).not.toHaveProperty('replicas');
  expect(at(readOfWorkers('autoscaler.yaml'), 'spec', 'scaleTargetRef', 'name')).toBe(
    at(readOfWorkers('worker.yaml'), 'metadata', 'name'),
  );
  expect(at(readOfWorkers('disruption-budget.yaml'), 'spec', 'selector', 'matchLabels')).toEqual(
    at(readOfWorkers('worker.yaml'), 'spec', 'selector', 'matchLabels'),
  );
});

test('the settings of workers are variables that the program knows, and name one file for all', () => {
  const known = readFileSync('docs/settings.md', 'utf8');
  const names = readFileSync(join(workers, 'settings.env'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  for (const name of names) expect(known).toContain(`\`${name}\``);
  expect(names).toContain('ORGANIZATIONS_FILE');
  expect(names).not.toContain('API_BASE_URL');
});

const canBuild = isInstalled('kustomize') && isInstalled('kubernetes-validate');

test.skipIf(!canBuild)(
  'kustomize builds it, and each built object is valid in Kubernetes 1.29 to 1.37',
  () => {
    const { code, said } = runTool('kustomize', 'build', folder);
    expect(code, said).toBe(0);
    expect(
      parseAllDocuments(said)
        .map((object) => at(object.toJS(), 'kind'))
        .sort(),
    ).toEqual(['ConfigMap', 'CronJob', 'Job', 'NetworkPolicy', 'ServiceAccount']);
    // The policy would select nothing without this label.
    expect(
      at(
        parseAllDocuments(said)
          .find((object) => object.get('kind') === 'CronJob')
          ?.toJS(),
        'spec',
        'jobTemplate',
        'spec',
        'template',
        'metadata',
        'labels',
      ),
    ).toEqual({
      'app.kubernetes.io/name': 'usage-etl',
    });
    const built = join(mkdtempSync(join(tmpdir(), 'usage-etl-kubernetes-')), 'built.yaml');
    writeFileSync(built, said);
    for (let minor = 29; minor <= 37; minor += 1) {
      const validated = runTool('kubernetes-validate', '--strict', '-k', `1.${minor}`, built);
      expect(validated.code, validated.said).toBe(0);
    }
    writeFileSync(built, said.replace('timeZone:', 'timezone:'));
    expect(runTool('kubernetes-validate', '--strict', '-k', '1.37', built).code).not.toBe(0);
  },
);

test.skipIf(!canBuild)(
  'kustomize builds the workers, and each built object is valid in Kubernetes 1.29 to 1.37',
  () => {
    const { code, said } = runTool('kustomize', 'build', workers);
    expect(code, said).toBe(0);
    const objects = parseAllDocuments(said).map((object): unknown => object.toJS());
    expect(objects.map((object) => at(object, 'kind')).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Job',
      'NetworkPolicy',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'ServiceAccount',
    ]);
    // Beside ORGANIZATIONS_FILE the program refuses both.
    expect(said).not.toMatch(/API_KEY_FILE|API_BASE_URL/);
    const built = join(mkdtempSync(join(tmpdir(), 'usage-etl-workers-')), 'built.yaml');
    writeFileSync(built, said);
    for (let minor = 29; minor <= 37; minor += 1) {
      const validated = runTool('kubernetes-validate', '--strict', '-k', `1.${minor}`, built);
      expect(validated.code, validated.said).toBe(0);
    }
  },
);
