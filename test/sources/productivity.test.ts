import { describe, expect, it } from 'vitest';
import { flattenRow, keptTables, rowsByTable } from '../support/flat-rows.ts';
import { sampleRow } from '../support/samples.ts';

describe('/productivity', () => {
  it('becomes the day, its file extensions and its languages', async () => {
    const row = await sampleRow('productivity');
    expect(rowsByTable('productivity', row)).toEqual({
      fact_productivity_daily: [[61, 803, 96, 0]],
      fact_file_extension_daily: [
        ['.ts', 700],
        ['.sql', 160],
        ['', 4],
      ],
      fact_language_daily: [
        ['TypeScript', 700],
        ['SQL', 160],
      ],
    });
    expect(flattenRow('productivity', row)).toMatchObject({ kept: [], rejected: [], drift: [] });
  });

  it('keeps the rows of one missing breakdown and loads the other', async () => {
    const row = await sampleRow('productivity', { by_language: undefined });
    expect(keptTables('productivity', row)).toEqual({ fact_language_daily: [] });
    expect(rowsByTable('productivity', row).fact_file_extension_daily).toHaveLength(3);
  });
});
