/** `prices import`: the prices of a file replace all prices of the same models in the warehouse. */
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { PriceLine } from '../../model/imports/prices-file.ts';
import { storableText } from '../../model/json.ts';
import type { RunReport } from '../../model/run-report.ts';
import { model } from '../../sources/dimensions.ts';
import { withSession, withTransaction } from '../../warehouse/connection/connection.ts';
import {
  type CreditPrice,
  readKnownModels,
  readPrices,
  readPricesForWriting,
  writePrices,
} from '../../warehouse/imports/credit-prices.ts';
import { replacementOf } from '../../warehouse/imports/row-changes.ts';
import { readForgotten } from '../../warehouse/removal/forgotten-names.ts';
import type { OpenSurroundings } from '../runs/job-surroundings.ts';
import { recordImport, refuseProblems } from './recorded-import.ts';

/** The result of an import. */
export interface PricesImport {
  readonly report: RunReport;
  /** Ids of the models in the file that the platform has not named yet. Once it does, their prices count. */
  readonly unknown: readonly string[];
}

/** Imports prices. Throws `ConfigurationError` if their currency differs from that of the prices that stay. */
export async function importPrices(
  file: string,
  fileLines: readonly PriceLine[],
  surroundings: OpenSurroundings,
): Promise<PricesImport> {
  const { pool } = surroundings.warehouse;
  const { held, known, persons } = await withSession(pool, async ({ db }) => {
    const persons = new ForgottenPersons();
    await readForgotten(db, persons);
    return { held: await readPrices(db), known: await readKnownModels(db, model), persons };
  });
  // The name of a model may contain a forgotten person. Use the same pseudonym as in the facts, so that they join.
  const lines = fileLines.map((line) => ({
    ...line,
    modelId: persons.inText(line.modelId),
    modelTier: persons.inText(line.modelTier),
  }));
  refuseProblems(file, currencyProblems(lines, held));
  const wanted = lines.map((line) => ({
    ...line,
    modelId: storableText(line.modelId),
    modelTier: storableText(line.modelTier),
    price: plain(line.price),
  }));
  const models = new Set(wanted.map(({ modelId }) => modelId));
  const report = await recordImport(
    {
      job: 'prices import',
      file,
      lines: lines.length,
      write: () =>
        withTransaction(pool, async ({ db }) => {
          const stored = await readPricesForWriting(db);
          refuseProblems(file, currencyProblems(lines, stored));
          const replaced = stored.filter(({ modelId }) => models.has(modelId));
          const replacement = replacementOf(replaced, wanted, keyOf, contentOf);
          await writePrices(db, replacement.removed, replacement.added);
          return replacement.changes;
        }),
    },
    surroundings,
  );
  return { report, unknown: [...models].filter((model) => !known.has(model)) };
}

const keyOf = ({ modelId, modelTier, validFrom }: CreditPrice) =>
  JSON.stringify([modelId, modelTier, validFrom]);
const contentOf = ({ price, currency }: CreditPrice) => JSON.stringify([price, currency]);

/** A decimal number without zeros at its beginning and end: stored prices have none, and both are compared. */
function plain(price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  const digits = whole.replace(/^0+(?=\d)/, '');
  const rest = fraction.replace(/(?<!0)0+$/, '');
  return rest === '' ? digits : `${digits}.${rest}`;
}

/** A sentence for each line whose currency differs from that of stored prices: costs are summed, so all need the same. */
function currencyProblems(lines: readonly PriceLine[], held: readonly CreditPrice[]): string[] {
  const models = new Set(lines.map(({ modelId }) => storableText(modelId)));
  const staying = held.find(({ modelId }) => !models.has(modelId));
  if (staying === undefined) return [];
  return lines
    .filter(({ currency }) => currency !== staying.currency)
    .map(
      ({ line, currency }) =>
        `line ${line}: currency: expected ${staying.currency}, as the prices of ${staying.modelId} that the warehouse holds; got ${currency}; name all models in the file to change the currency`,
    );
}
