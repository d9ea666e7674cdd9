import { conformedName, optionalConformedName } from '../model/fields.ts';

/** `/tools` writes `auto_high`, `/users` writes `auto-high`: both mean the same level (platform-api.md §2.5). */
const documentedSpellings = new Map([
  ['auto_high', 'auto-high'],
  ['auto_medium', 'auto-medium'],
  ['auto_low', 'auto-low'],
]);

function conform(code: string): string {
  return documentedSpellings.get(code) ?? code;
}

/** The code of a level, spelled alike for all endpoints; undocumented codes stay as reported. */
export const autonomyLevelCode = conformedName(conform);

/** The code of a level that may be null or absent, spelled alike for all endpoints. */
export const optionalAutonomyLevelCode = optionalConformedName(conform);
