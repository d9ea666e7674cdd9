/** The file of `prices import`: prices of credits by model and tier, each with the day from which it is valid. */
import { readFilledCsv, shown } from '../csv.ts';
import { type Day, isDay } from '../day.ts';

/** A line of the file. */
export interface PriceLine {
  readonly line: number;
  readonly modelId: string;
  /** `*` means every tier that has no price of its own. */
  readonly modelTier: string;
  /** A decimal number, as written. */
  readonly price: string;
  readonly currency: string;
  readonly validFrom: Day;
}

const columns = {
  required: ['model_id', 'model_tier', 'price_per_million_credits', 'currency', 'valid_from'],
} as const;

/** A price: up to 20 digits before and after the point, more than any price needs. */
const decimal = /^\d{1,20}(?:\.\d{1,20})?$/;

/** Reads the file. Adds a sentence with the line number to `problems` for each problem. */
export function readPricesFile(bytes: Buffer, problems: string[]): PriceLine[] {
  const lineOf = new Map<string, number>();
  let currency: { readonly text: string; readonly line: number } | undefined;
  return readFilledCsv(bytes, columns, problems).flatMap(({ line, value }) => {
    const found = problems.length;
    const wrong = (column: string, sentence: string) => problems.push(`line ${line}: ${column}: ${sentence}`);
    const [modelId, modelTier] = [value('model_id'), value('model_tier')];
    const price = value('price_per_million_credits').trim();
    const money = value('currency').trim();
    const validFrom = value('valid_from').trim();
    if (modelId === '') wrong('model_id', 'expected the id of a model, got nothing');
    if (modelTier === '')
      wrong('model_tier', 'expected a tier, or * for every tier without its own price; got nothing');
    if (!decimal.test(price))
      wrong('price_per_million_credits', `expected a number from 0, such as 12.50; got ${shown(price)}`);
    if (!/^[A-Z]{3}$/.test(money))
      wrong('currency', `expected three capital letters, such as EUR; got ${shown(money)}`);
    else if (currency !== undefined && currency.text !== money)
      wrong(
        'currency',
        `expected ${currency.text} as in line ${currency.line}, because all prices have one currency; got ${money}`,
      );
    else currency ??= { text: money, line };
    if (!isDay(validFrom)) wrong('valid_from', `expected a day as YYYY-MM-DD, got ${shown(validFrom)}`);
    if (problems.length > found || !isDay(validFrom)) return [];
    const key = JSON.stringify([modelId, modelTier, validFrom]);
    const first = lineOf.get(key);
    if (first !== undefined) {
      wrong('valid_from', `line ${first} has the same model, tier and day`);
      return [];
    }
    lineOf.set(key, line);
    return [{ line, modelId, modelTier, price, currency: money, validFrom }];
  });
}
