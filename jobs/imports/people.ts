import { ConfigurationError } from '../../src/model/errors.ts';
import { readPeopleFile } from '../../src/model/imports/people-file.ts';
import { importPeople } from '../../src/pipeline/imports/import-people.ts';
import { describeImport } from '../../src/reporting/import-text.ts';
import { counted } from '../../src/reporting/number-text.ts';
import type { Job } from '../job.ts';
import { readTableFile } from '../table-file.ts';
import { importJob } from './import-job.ts';

/** Imports the teams of people, each with the day from which somebody belongs to it. */
export const job: Job = importJob({
  organizations: 'any',
  example: 'people import people.csv',
  description: 'imports teams of people from a CSV file: team, valid_from, and user_id or user_email',
  details: [
    'The columns valid_to, department, cost_center and org_id may stand there as well.',
    'The file replaces all periods of the persons in it.',
  ],
  async importFile(file, open) {
    const unreadable: string[] = [];
    const problems: string[] = [];
    const rules = { withholdsEmails: open.config.withholdsEmails };
    const lines = readTableFile(file, (bytes) => readPeopleFile(bytes, rules, problems), unreadable);
    if (lines === undefined) throw new ConfigurationError(unreadable);
    const read = { file, lines, problems };
    const { report, persons, unknown } = await importPeople(read, open);
    const sentences = [describeImport(report.summary, counted(persons, 'person'))];
    if (unknown > 0)
      sentences.push(
        `${counted(unknown, 'person')} of them not seen yet: what they use counts for their team once the platform names them.`,
      );
    return { report, text: sentences.join('\n'), about: { persons, unknown } };
  },
});
