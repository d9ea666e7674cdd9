/** `npm run lint` checks that imports point down only. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/program.ts';

/** What the check says of a repository with these files. */
async function check(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-floors-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await startProgram('tools/floors.ts', [], {}, folder).ended;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each([
  ['a floor above', 'src/model/a.ts', "import { b } from '../pipeline/b.ts';"],
  ['a sibling', 'src/warehouse/load/a.ts', "import { b } from '../../extract/b.ts';"],
  [
    'a room above, though only for a type',
    'src/pipeline/plan/a.ts',
    "import type { B } from '../loading/b.ts';",
  ],
  ['a room above, when it runs', 'src/warehouse/connection/a.ts', "await import('../load/b.ts');"],
  ['a room without a place', 'src/pipeline/plan/a.ts', "export * from '../attic/b.ts';"],
  ['a test', 'tools/a.ts', "import { b } from '../test/support/b.ts';"],
])('an import of %s is refused by name', async (_what, path, text) => {
  const { code, stderr } = await check({ [path]: text });
  expect(stderr).toContain(`${path} imports `);
  expect(code).toBe(1);
});

test('imports that point down are accepted', async () => {
  const ended = await check({
    'jobs/a.ts': "import { b } from '../src/pipeline/plan/b.ts';",
    'src/pipeline/loading/a.ts': "import { b } from '../plan/b.ts';\nimport { c } from '../../model/c.ts';",
    'src/simulator/a.ts': "import { b } from '../sources/users/schema.ts';",
  });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
});
