import { describe, expect, it } from 'vitest';
import { flattenRow, keptTables, rowsByTable } from '../support/flat-rows.ts';
import { sampleRow } from '../support/samples.ts';

describe('/activity', () => {
  it('becomes the day and a row per client', async () => {
    const row = await sampleRow('activity');
    expect(rowsByTable('activity', row)).toEqual({
      fact_activity_daily: [[42, 61, 75, 125, 2480, 631]],
      fact_activity_client_daily: [
        ['terminal-ui', 40],
        ['web', 5],
        ['non-interactive-cli', 0],
      ],
    });
    expect(flattenRow('activity', row)).toMatchObject({ kept: [], rejected: [], drift: [] });
  });

  it('keeps the clients when the map is missing, and drops them when it is empty', async () => {
    const missing = await sampleRow('activity', { daily_active_users_by_client: null });
    expect(keptTables('activity', missing)).toEqual({ fact_activity_client_daily: [] });
    const empty = await sampleRow('activity', { daily_active_users_by_client: {} });
    expect(keptTables('activity', empty)).toEqual({});
  });

  it('takes any client type, also one named like a property of every object', async () => {
    const clients: unknown = JSON.parse('{"__proto__": 1, "toString": 2, "": 3, "7": null}');
    const row = await sampleRow('activity', { daily_active_users_by_client: clients });
    const rows = rowsByTable('activity', row).fact_activity_client_daily ?? [];
    expect(new Set(rows)).toEqual(
      new Set([
        ['7', null],
        ['__proto__', 1],
        ['toString', 2],
        ['', 3],
      ]),
    );
  });
});
