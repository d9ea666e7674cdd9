import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { simulatorFromSeed } from '../../src/simulator/from-seed.ts';

const clock = () => Date.parse('2026-02-01T00:00:00Z');

test('a platform from a seed answers its API key, and the same again after a restart', async () => {
  const answers = [];
  for (let start = 0; start < 2; start++) {
    const simulator = await simulatorFromSeed({
      seed: 11,
      users: 25,
      from: day('2026-01-20'),
      apiKey: 'k',
      clock,
    });
    const url = `${simulator.url}/api/v1/analytics/users?startDate=2026-01-30&endDate=2026-01-30&limit=100`;
    const response = await fetch(url, { headers: { authorization: 'Bearer k' } });
    answers.push(await response.text());
    await simulator.close();
  }
  expect(JSON.parse(answers[0] ?? '')).toMatchObject({
    meta: { org_id: 'org_simulated_11', has_more: false },
  });
  expect(answers[1]).toBe(answers[0]);
});

test('a port that is taken is an error', async () => {
  const options = { seed: 1, users: 1, from: day('2026-01-20'), apiKey: 'k', clock };
  const first = await simulatorFromSeed(options);
  await expect(simulatorFromSeed({ ...options, port: first.port })).rejects.toThrow('EADDRINUSE');
  await first.close();
});
