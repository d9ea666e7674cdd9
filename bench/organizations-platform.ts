/** Platforms of many small organizations with latency, and the file that names them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { day } from '../src/model/day.ts';
import { generatedDataset } from '../src/simulator/dataset.ts';
import { createGenerator } from '../src/simulator/generate.ts';
import { startSimulator } from '../src/simulator/server.ts';

const apiKey = 'bench-key';

/** The organizations `org-0`, `org-1` and so on. */
export interface OrganizationsPlatform extends AsyncDisposable {
  /** The settings of the program, without DATABASE_URL. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves with the time of the next request, in ms on the monotonic clock. */
  nextRequest(): Promise<number>;
}

/** Starts a server for each organization. All serve the same few users. */
export async function startOrganizations(
  count: number,
  latencyMs: number,
  directory: string,
): Promise<OrganizationsPlatform> {
  const folder = await mkdtemp(join(directory, 'organizations-'));
  const dataset = generatedDataset(createGenerator({ seed: 1, users: 3, from: day('2026-01-14') }));
  let hear: ((at: number) => void) | undefined;
  const fault = () => {
    hear?.(performance.now());
    return { kind: 'delay', ms: latencyMs } as const;
  };
  const simulators = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startSimulator({ dataset, organizationId: `org_${index}`, apiKeys: { [apiKey]: 'owner' }, fault }),
    ),
  );
  const file = join(folder, 'organizations.yaml');
  const entries = simulators.map(
    ({ url }, index) => `- name: org-${index}\n  api_base_url: ${url}\n  api_key_env: BENCH_KEY\n`,
  );
  await writeFile(file, entries.join(''), { mode: 0o600 });
  return {
    environment: { ORGANIZATIONS_FILE: file, BENCH_KEY: apiKey, DATA_DIR: folder, LOG_FORMAT: 'json' },
    nextRequest: () =>
      new Promise((resolve) => {
        hear = (at) => {
          hear = undefined;
          resolve(at);
        };
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(simulators.map((simulator) => simulator.close()));
      await rm(folder, { recursive: true });
    },
  };
}
