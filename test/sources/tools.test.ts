import { describe, expect, it } from 'vitest';
import { flattenRow, keptTables, rowsByTable } from '../support/flat-rows.ts';
import { sampleRow } from '../support/samples.ts';

describe('/tools', () => {
  it('becomes the day, and a row per tool, server, skill, command, hook and level', async () => {
    expect(rowsByTable('tools', await sampleRow('tools'))).toEqual({
      fact_tool_daily: [[5210, 4, 7, 12, 31, 0, 8.25, 6.5, 19.75, 41.68, 5.05]],
      fact_tool_usage_daily: [
        ['Read', 3100],
        ['Execute', 2109],
        ['Edit</tool>{"path":', 1],
      ],
      fact_mcp_server_daily: [
        ['GitHub', 40],
        ['github', 2],
      ],
      fact_skill_daily: [['code-review', 7]],
      fact_slash_command_daily: [
        ['/compact', 9],
        ['/model', 3],
      ],
      fact_hook_daily: [
        ['PostToolUse | Edit|Write | set -e\nnpx prettier --write "$FILE"\t# tidy', 30],
        ['Stop |  | say done', 1],
      ],
      fact_autonomy_level_daily: [
        ['auto-high', 0.62],
        ['auto-medium', 0.2],
        ['auto-low', 0.18],
        ['manual', 0],
      ],
    });
  });

  it('is accepted without a surprise in the documented shape', async () => {
    const { kept, rejected, drift } = flattenRow('tools', await sampleRow('tools'));
    expect({ kept, rejected, drift }).toEqual({ kept: [], rejected: [], drift: [] });
  });

  it.each([{}, { event: null, matcher: null, command: null }])(
    'stores the absent parts of a hook as empty text: %o',
    async (parts) => {
      const row = await sampleRow('tools', { hooks_by_event: [{ ...parts, count: 1 }] });
      expect(rowsByTable('tools', row).fact_hook_daily).toEqual([[' |  | ', 1]]);
      expect(flattenRow('tools', row).drift).toEqual([]);
    },
  );

  it('keeps a level as reported when it is not a documented spelling', async () => {
    const row = await sampleRow('tools', {
      tool_autonomy_level_ratio: { auto_ultra: 0.5, constructor: 0.25, spec: null },
    });
    expect(rowsByTable('tools', row).fact_autonomy_level_daily).toEqual([
      ['auto_ultra', 0.5],
      ['constructor', 0.25],
      ['spec', null],
    ]);
  });

  it.each([
    ['by_tool', 'fact_tool_usage_daily'],
    ['mcp_by_server', 'fact_mcp_server_daily'],
    ['skills_by_name', 'fact_skill_daily'],
    ['slash_commands_by_name', 'fact_slash_command_daily'],
    ['hooks_by_event', 'fact_hook_daily'],
    ['tool_autonomy_level_ratio', 'fact_autonomy_level_daily'],
  ])('keeps the rows that %s fed when it is missing', async (field, table) => {
    expect(keptTables('tools', await sampleRow('tools', { [field]: undefined }))).toEqual({ [table]: [] });
  });

  it('rejects a map that comes as a list', async () => {
    const row = await sampleRow('tools', { tool_autonomy_level_ratio: [0.5] });
    expect(flattenRow('tools', row).rejected).toEqual([
      { path: 'tool_autonomy_level_ratio', reason: 'expected an object, got an array', payload: [0.5] },
    ]);
  });

  it('rejects one entry of a map alone', async () => {
    const row = await sampleRow('tools', { tool_autonomy_level_ratio: { manual: 'half', spec: 0.5 } });
    expect(rowsByTable('tools', row).fact_autonomy_level_daily).toEqual([['spec', 0.5]]);
    expect(flattenRow('tools', row).rejected).toEqual([
      {
        path: 'tool_autonomy_level_ratio[]',
        reason: 'value: expected a number, zero or more, got "half"',
        payload: { key: 'manual', value: 'half' },
      },
    ]);
  });

  it('takes names exactly as reported: case, spaces, empty, Unicode', async () => {
    const names = [' a ', 'A', '', 'é', 'e\u0301', '\\N', '\t', '🛠️'];
    const row = await sampleRow('tools', { by_tool: names.map((tool) => ({ tool, invocations: 1 })) });
    expect(rowsByTable('tools', row).fact_tool_usage_daily).toEqual(names.map((tool) => [tool, 1]));
  });
});
