import { describe, expect, it } from 'vitest';
import { flattenRow, keptTables, rowsByTable } from '../support/flat-rows.ts';
import { sampleRow, sampleRows } from '../support/samples.ts';

describe('/users', () => {
  it('becomes the user’s day and a row per language', async () => {
    const [ada, bob] = await sampleRows('users');
    expect(rowsByTable('users', ada)).toEqual({
      fact_user_daily: [
        // biome-ignore format: one row of the table
        ['user_ada', 'sonnet-4.5 | standard', 'auto-high', 310, 1250340.75, 4, 51, 6, 1, 12, 2, 3, 30, 8, 160, 38, 122, 8.16],
      ],
      bridge_user_language_daily: [
        ['user_ada', 'TypeScript'],
        ['user_ada', 'SQL'],
      ],
    });
    expect(rowsByTable('users', bob)).toEqual({
      fact_user_daily: [['user_bob', null, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 0]],
      bridge_user_language_daily: [],
    });
  });

  it('is accepted without a surprise in the documented shape', async () => {
    for (const row of await sampleRows('users'))
      expect(flattenRow('users', row)).toMatchObject({ kept: [], rejected: [], drift: [] });
  });

  it('loads a row that holds nothing but its identity, with null for every figure', () => {
    const row = { user_id: 'u', date: '2026-03-09' };
    expect(rowsByTable('users', row).fact_user_daily).toEqual([['u', ...Array(17).fill(null)]]);
    expect(keptTables('users', row)).toEqual({ bridge_user_language_daily: ['u'] });
  });

  it('conforms the spelling of a delegation level to that of the documented levels', async () => {
    const row = await sampleRow('users', { delegation_level: 'auto_medium' });
    expect(rowsByTable('users', row).fact_user_daily?.[0]?.[2]).toBe('auto-medium');
  });

  it('gives a model without a tier the tier unknown, and no model at all none', async () => {
    const untiered = await sampleRow('users', { primary_model_tier: undefined });
    expect(rowsByTable('users', untiered).fact_user_daily?.[0]?.[1]).toBe('sonnet-4.5 | unknown');
    const none = await sampleRow('users', { primary_model: undefined });
    expect(rowsByTable('users', none).fact_user_daily?.[0]?.[1]).toBeNull();
  });

  it.each([undefined, null, 7, ['u']])('rejects a row whose user_id is %o', async (user_id) => {
    const { rows, rejected } = flattenRow('users', await sampleRow('users', { user_id }));
    expect(rows.flat()).toEqual([]);
    expect(rejected).toMatchObject([{ path: '', reason: expect.stringContaining('user_id: expected text') }]);
  });

  it('rejects one language alone', async () => {
    const row = await sampleRow('users', { languages: ['Go', null, 'SQL'] });
    expect(rowsByTable('users', row).bridge_user_language_daily).toEqual([
      ['user_ada', 'Go'],
      ['user_ada', 'SQL'],
    ]);
    expect(flattenRow('users', row).rejected).toHaveLength(1);
  });

  it.each([null, 'text', 7, []])('rejects %o, which is no row at all', (row) => {
    expect(flattenRow('users', row)).toMatchObject({
      rows: [[], []],
      rejected: [{ path: '', payload: row }],
    });
  });
});
