/**
 * Checks that no migration after version 0.1.0 rewrites or scans a fact while nobody can read or write it. With millions of
 * rows that would take minutes, and all nights and questions would wait. Says which statement does, and ends with 1.
 */
import { join } from 'node:path';
import { readSqlTexts } from '../src/warehouse/migrations/sql-text.ts';

/** Files up to this number create the warehouse: no fact has rows yet. */
const lastOfBaseline = 22;

const fact = String.raw`(?:only\s+)?(?:warehouse\.)?"?(?:fact|bridge)_\w+"?`;

/** What takes long in a large fact under a lock that stops its readers or writers, and what to do instead. */
const rules: readonly { readonly what: RegExp; readonly instead: string }[] = [
  {
    what: new RegExp(
      String.raw`alter\s+table\s+${fact}[^;]*\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b`,
      'i',
    ),
    instead: 'add a column of the new type, and fill it in batches',
  },
  {
    what: new RegExp(
      String.raw`alter\s+table\s+${fact}[^;]*\bgenerated\s+(?:always|by\s+default)\s+as\b`,
      'i',
    ),
    instead: 'add a plain column, and fill it in batches',
  },
  {
    what: new RegExp(
      String.raw`alter\s+table\s+${fact}[^;]*\bdefault\s+[^,;]*(?:random|clock_timestamp|nextval|uuid)`,
      'i',
    ),
    instead: 'add the column without a default that differs by row, and fill it in batches',
  },
  {
    what: new RegExp(String.raw`alter\s+table\s+${fact}[^;]*\bset\s+not\s+null\b`, 'i'),
    instead: 'add a check constraint `not valid`, validate it in a later file',
  },
  {
    what: new RegExp(
      String.raw`alter\s+table\s+${fact}[^;]*\badd\s+(?:constraint\s+\w+\s+)?(?:primary\s+key|unique)\s*\(`,
      'i',
    ),
    instead:
      'create a unique index concurrently, outside of the migrations, and add the constraint `using index`',
  },
  {
    what: new RegExp(
      String.raw`alter\s+table\s+${fact}(?![^;]*\bnot\s+(?:valid|enforced)\b)[^;]*\badd\s+(?:constraint\s+\w+\s+)?(?:check|foreign\s+key)\b`,
      'i',
    ),
    instead: 'add the constraint `not valid`, validate it in a later file',
  },
  {
    what: new RegExp(
      String.raw`alter\s+table\s+${fact}[^;]*\bset\s+(?:logged|unlogged|tablespace|access\s+method)\b`,
      'i',
    ),
    instead: 'leave the storage of the table as it is',
  },
  {
    what: new RegExp(String.raw`create\s+(?:unique\s+)?index\s+(?!concurrently)[^;]*\bon\s+${fact}`, 'i'),
    instead:
      'a fact has its primary key only; if it needs an index, create it concurrently, outside of the migrations',
  },
  {
    what: new RegExp(
      String.raw`\b(?:update|delete\s+from|cluster|vacuum\s+full|lock\s+table|lock)\s+${fact}`,
      'i',
    ),
    instead: 'change rows in batches, by a command of the program',
  },
];

const problems = readSqlTexts(join('sql', 'migrations')).flatMap(({ name, text }) => {
  if (Number.parseInt(name, 10) <= lastOfBaseline) return [];
  const statements = text.replace(/--[^\n]*/g, '').split(';');
  return statements.flatMap((statement) =>
    rules
      .filter(({ what }) => what.test(`${statement};`))
      .map(
        ({ instead }) =>
          `sql/migrations/${name}.sql: ${statement.trim().replace(/\s+/g, ' ').slice(0, 100)}: ${instead}`,
      ),
  );
});
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\nA migration must not rewrite a fact under a lock.\n`);
  process.exitCode = 1;
}
