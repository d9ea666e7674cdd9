import { conformedName, optionalConformedName } from '../model/fields.ts';

/** `/tools` writes `auto_high`, `/users` writes `auto-high`: both are one level (platform-api.md §2.5). */
const documentedSpellings = new Map([
  ['auto_high', 'auto-high'],
  ['auto_medium', 'auto-medium'],
  ['auto_low', 'auto-low'],
]);

function conform(code: string): string {
  return documentedSpellings.get(code) ?? code;
}

/** A level's code in one spelling; undocumented codes stay as reported. */
export const autonomyLevelCode = conformedName(conform);

/** The same where the level may be null or absent. */
export const optionalAutonomyLevelCode = optionalConformedName(conform);
