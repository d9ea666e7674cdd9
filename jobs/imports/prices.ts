import { ConfigurationError } from '../../src/model/errors.ts';
import { readPricesFile } from '../../src/model/imports/prices-file.ts';
import { importPrices } from '../../src/pipeline/imports/import-prices.ts';
import { describeImport } from '../../src/reporting/import-text.ts';
import { counted } from '../../src/reporting/number-text.ts';
import type { Job } from '../job.ts';
import { readTableFile } from '../table-file.ts';
import { importJob } from './import-job.ts';

/** More names than these help nobody to find a misspelt one. */
const mostNames = 10;

function someOf(names: readonly string[]): string {
  const more = names.length - mostNames;
  return `${names.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Imports the prices of credits, by model and tier. */
export const job: Job = importJob({
  example: 'prices import prices.csv',
  description:
    'imports prices from a CSV file: model_id, model_tier, price_per_million_credits, currency, valid_from',
  details: [
    'A model_tier of * stands for all tiers that have no line of their own.',
    'The file replaces all prices of the models in it. All prices have one currency.',
  ],
  async importFile(file, open) {
    const problems: string[] = [];
    const lines = readTableFile(file, readPricesFile, problems);
    if (lines === undefined || problems.length > 0) throw new ConfigurationError(problems);
    const { report, unknown } = await importPrices(file, lines, open);
    const models = new Set(lines.map(({ modelId }) => modelId)).size;
    const sentences = [describeImport(report.summary, counted(models, 'model'))];
    if (unknown.length > 0)
      sentences.push(
        `${counted(unknown.length, 'model')} of them not seen yet: ${someOf(unknown)}; check the spelling, or wait: the prices count once the platform names them.`,
      );
    return { report, text: sentences.join('\n'), about: { models, unknown: unknown.length } };
  },
});
