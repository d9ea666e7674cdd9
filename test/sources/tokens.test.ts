import { describe, expect, it } from 'vitest';
import { flattenRow, keptTables, rowsByTable } from '../support/flat-rows.ts';
import { sampleRow } from '../support/samples.ts';

describe('/tokens', () => {
  it('becomes the day, its models, its users, and the models of each user', async () => {
    expect(rowsByTable('tokens', await sampleRow('tokens'))).toEqual({
      fact_token_daily: [[1250340.75, 4210000, 318000, 2950000, 0]],
      fact_token_model_daily: [
        ['sonnet-4.5 | standard', 900340.5, 3010000, 218000],
        ['sonnet-4.5 | thinking', 350000.25, 1200000, 100000],
      ],
      fact_token_user_daily: [
        ['user_ada', 1250340.75],
        ['user_bob', 0],
      ],
      fact_token_user_model_daily: [
        ['user_ada', 'sonnet-4.5 | standard', 900340.5, 3010000, 218000],
        ['user_ada', 'sonnet-4.5 | thinking', 350000.25, 1200000, 100000],
      ],
    });
  });

  it('is accepted without a surprise in the documented shape', async () => {
    const { kept, rejected, drift } = flattenRow('tokens', await sampleRow('tokens'));
    expect({ kept, rejected, drift }).toEqual({ kept: [], rejected: [], drift: [] });
  });

  it('keeps absent and null figures null, and zero zero', async () => {
    const row = await sampleRow('tokens', {
      billable_tokens: null,
      input_tokens: undefined,
      output_tokens: 0,
    });
    expect(rowsByTable('tokens', row).fact_token_daily).toEqual([[null, null, 0, 2950000, 0]]);
  });

  it('counts an absent figure as drift, a null one not', async () => {
    const row = await sampleRow('tokens', { billable_tokens: null, input_tokens: undefined });
    expect(flattenRow('tokens', row).drift).toEqual([
      { path: 'input_tokens', kind: 'missing_field', example: 'absent' },
    ]);
  });

  it.each([undefined, null])('keeps all rows that by_user fed when it is %s', async (by_user) => {
    const row = await sampleRow('tokens', { by_user });
    expect(keptTables('tokens', row)).toEqual({
      fact_token_user_daily: [],
      fact_token_user_model_daily: [],
    });
    expect(flattenRow('tokens', row).drift).toEqual([
      { path: 'by_user', kind: 'missing_field', example: by_user === null ? 'null' : 'absent' },
    ]);
  });

  it('keeps only one user’s models when that user has none given', async () => {
    const models = [
      { model_id: 'm', model_tier: 't', billable_tokens: 1, input_tokens: 2, output_tokens: 3 },
    ];
    const row = await sampleRow('tokens', {
      by_user: [
        { user_id: 'a', user_email: null, billable_tokens: 1 },
        { user_id: 'b', user_email: null, billable_tokens: 1, by_model: models },
      ],
    });
    expect(keptTables('tokens', row)).toEqual({ fact_token_user_model_daily: ['a'] });
    expect(rowsByTable('tokens', row).fact_token_user_model_daily).toEqual([['b', 'm | t', 1, 2, 3]]);
  });

  it('takes an empty breakdown for what it says: no rows, nothing kept', async () => {
    const row = await sampleRow('tokens', { by_model: [], by_user: [] });
    expect(keptTables('tokens', row)).toEqual({});
    expect(rowsByTable('tokens', row)).toMatchObject({
      fact_token_model_daily: [],
      fact_token_user_daily: [],
    });
  });

  it('stores a model without a tier under the tier unknown, which is no drift', async () => {
    const row = await sampleRow('tokens', {
      by_model: [{ model_id: 'm', billable_tokens: 1, input_tokens: 2, output_tokens: 3 }],
    });
    expect(rowsByTable('tokens', row).fact_token_model_daily).toEqual([['m | unknown', 1, 2, 3]]);
    expect(flattenRow('tokens', row).drift).toEqual([]);
  });

  it('rejects an entry alone, with its path and what was expected, and loads its siblings', async () => {
    const wrong = {
      model_id: 7,
      model_tier: 'standard',
      billable_tokens: 1,
      input_tokens: 2,
      output_tokens: 3,
    };
    const right = { ...wrong, model_id: 'm' };
    const row = await sampleRow('tokens', { by_model: [wrong, right] });
    expect(rowsByTable('tokens', row).fact_token_model_daily).toEqual([['m | standard', 1, 2, 3]]);
    expect(flattenRow('tokens', row).rejected).toEqual([
      { path: 'by_model[]', reason: 'model_id: expected text, got 7', payload: wrong },
    ]);
  });

  it.each([
    ['negative', -1],
    ['fractional', 1.5],
    ['text', '12'],
    ['a boolean', true],
    ['beyond bigint', 1e19],
  ])('rejects a count that is %s', async (_, input_tokens) => {
    const { rows, rejected } = flattenRow('tokens', await sampleRow('tokens', { input_tokens }));
    expect(rows.flat()).toEqual([]);
    expect(rejected).toMatchObject([
      { path: '', reason: expect.stringMatching(/^input_tokens: expected a whole/) },
    ]);
  });

  it('rejects a breakdown of another shape as a whole and keeps the rows it fed', async () => {
    const row = await sampleRow('tokens', { by_model: { m: 1 } });
    expect(keptTables('tokens', row)).toEqual({ fact_token_model_daily: [] });
    expect(flattenRow('tokens', row).rejected).toMatchObject([
      { path: 'by_model', reason: 'expected an array, got an object' },
    ]);
  });

  it('notes a field that is not documented, wherever it stands', async () => {
    const row = await sampleRow('tokens', {
      surprise: { nested: true },
      by_user: [{ user_id: 'a', user_email: null, billable_tokens: 1, by_model: [], team: 'x' }],
    });
    expect(flattenRow('tokens', row).drift).toEqual([
      { path: 'surprise', kind: 'unknown_field', example: '{"nested":true}' },
      { path: 'by_user[].team', kind: 'unknown_field', example: '"x"' },
    ]);
  });

  it('reports the e-mail of each user that has one', async () => {
    const { observations } = flattenRow('tokens', await sampleRow('tokens'));
    expect(observations.map(({ naturalKey, value }) => [naturalKey, value])).toEqual([
      ['user_ada', 'ada@example.com'],
    ]);
  });
});
