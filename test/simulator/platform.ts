/** A simulated platform for tests of the simulator itself, and requests to it as any client sends them. */
import { z } from 'zod';
import { day } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts';

export const organizationId = 'org_test';
export const firstDay = day('2026-01-14');

/** Noon of 2026-03-10: the last served day is 2026-03-09. */
const now = Date.parse('2026-03-10T12:00:00Z');

/** Sixty users by default; dispose of it to close it. */
export async function startPlatform(options: Partial<SimulatorOptions> = {}) {
  const generator = createGenerator({ seed: 5, users: 60, from: firstDay });
  const dataset = new OverridableDataset(generatedDataset(generator));
  const simulator = await startSimulator({
    dataset,
    organizationId,
    clock: () => now,
    apiKeys: { owner: 'owner', manager: 'manager', member: 'member', guest: 'guest' },
    ...options,
  });
  /** `target` is an analytics path with query: `tokens?startDate=…`. */
  const get = (target: string, init: RequestInit = {}) =>
    fetch(`${simulator.url}/api/v1/analytics/${target}`, {
      headers: { authorization: 'Bearer owner' },
      ...init,
    });
  return { generator, dataset, simulator, get, [Symbol.asyncDispose]: () => simulator.close() };
}

const row = z.looseObject({ date: z.string() });
const envelope = z.object({
  data: z.array(row),
  meta: z.looseObject({ has_more: z.boolean().optional(), next_cursor: z.string().optional() }),
});

/** A row as far as these tests need it typed; the other fields are unknown. */
export type AnalyticsRow = z.infer<typeof row>;

/** The envelope of a successful answer. */
export async function envelopeOf(response: Response): Promise<z.infer<typeof envelope>> {
  return envelope.parse(await response.json());
}

/** The query of a range of days. */
export function between(from: string, to: string): string {
  return `startDate=${from}&endDate=${to}`;
}
