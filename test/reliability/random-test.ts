/** How much the random tests do, and from which seed: options of the environment, so that a failure can be repeated. */

/** What a random test works with. */
export interface RandomTest {
  readonly count: number;
  readonly seed: number;
  /** As many times the usual as the count is. */
  readonly timeoutMs: number;
  /** Hears of a failure: prints how to repeat the test. */
  readonly tellHowToRepeat: () => void;
}

/** What it does where the environment says nothing. */
interface Usual {
  readonly file: string;
  readonly count: number;
  readonly seed: number;
  readonly timeoutMs: number;
}

const seedVariable = 'USAGE_ETL_SEED';

/** Reads the count from `variable` and the seed from `USAGE_ETL_SEED`. Throws `RangeError` for what is no whole number. */
export function randomTest(variable: string, usual: Usual): RandomTest {
  const count = wholeNumber(variable) ?? usual.count;
  const seed = wholeNumber(seedVariable) ?? usual.seed;
  return {
    count,
    seed,
    timeoutMs: Math.max(usual.timeoutMs, Math.ceil((usual.timeoutMs * count) / usual.count)),
    tellHowToRepeat: () =>
      console.error(
        `repeat it with: ${variable}=${count} ${seedVariable}=${seed} npm run test:some -- test/reliability/${usual.file}.test.ts`,
      ),
  };
}

function wholeNumber(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new RangeError(
      `${variable}: expected a whole number from 1 to 999999999, got ${JSON.stringify(text)}`,
    );
  return Number(text);
}
