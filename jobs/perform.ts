/** Performs a job: reads its settings, listens to signals, prints its output, and returns its exit code. */
import { type Clock, systemClock } from '../src/model/clock.ts';
import { type Config, parseConfig } from '../src/model/config.ts';
import { ConfigurationError, explain } from '../src/model/errors.ts';
import { readableKeys } from '../src/model/organizations/organization-key.ts';
import { secretsOf } from '../src/model/redaction.ts';
import { createSanitizer, type Sanitize, type Sanitizer, sanitizeTexts } from '../src/model/sanitize.ts';
import { defaultTiming } from '../src/model/timing.ts';
import { openLog } from '../src/reporting/log.ts';
import type { Traces } from '../src/reporting/open-traces.ts';
import { terminalOf } from '../src/reporting/terminal.ts';
import {
  choiceOf,
  exitCode,
  exitCodeOf,
  type Given,
  isInterrupted,
  type Job,
  type JobContext,
  namedSources,
  type Told,
} from './job.ts';
import { logWarnings, tellFaults } from './node-warnings.ts';
import { loadOwnSettings, readSettings, readSettingsFile } from './settings.ts';
import { listenForSignals } from './signals.ts';
import { tell } from './tell.ts';

/** A parsed command line. */
export interface CommandLine {
  readonly options: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
  readonly json: boolean;
  /** The problems that were found so far. */
  readonly problems: readonly string[];
}

/** Performs a job and returns its exit code; `timing` sets the length of its waits. Never throws. */
export async function perform(job: Job, commandLine: CommandLine, timing = defaultTiming): Promise<number> {
  const { json } = commandLine;
  const staysUp = job.staysUp === true;
  const abort = new AbortController();
  const stopListening = listenForSignals(abort, { staysUp });
  let redact = createSanitizer([]);
  let announced = false;
  let traces: Traces | undefined;
  const announce = async (told: Told) => {
    announced = true;
    await print(outputOf(told, json, redact));
  };
  try {
    const given = { ...commandLine, clock: systemClock, problems: [...commandLine.problems] };
    const { context, run } = await prepare(job, given, { json, abort, announce, timing });
    ({ redact } = context);
    traces = await tracesOf(context);
    const observers = traces === undefined ? [] : [traces.observe];
    const result = await run({ ...context, observers });
    const code = result.exitCode ?? exitCode.done;
    const error = result.error ?? `ended with exit code ${code}`;
    const told = code === exitCode.done ? result : { ...result, json: { ...result.json, error } };
    if (!announced) await print(outputOf(told, json, redact));
    return code;
  } catch (error) {
    // A signal is the normal end of a job that stays up, so there is no error to report.
    if (staysUp && isInterrupted(error)) return exitCode.done;
    // The stack of an error is for developers, so it is shown only with LOG_LEVEL=trace.
    if (process.env.LOG_LEVEL === 'trace' && error instanceof Error)
      for (const line of (error.stack ?? '').split('\n')) tell(redact(line));
    const sentences = sentencesOf(error).map((sentence) => redact(sentence));
    await tellFailure(sentences, json && !announced);
    return exitCodeOf(error);
  } finally {
    await traces?.close(abort.signal.aborted ? timing.tracesAfterSignalMs : timing.tracesAtEndMs);
    stopListening();
  }
}

/** Opens traces for the runs of this job, if the settings have a URL for them. */
async function tracesOf({ config, redact, log, timing }: JobContext): Promise<Traces | undefined> {
  const { tracesUrl: url, serviceName } = config;
  if (url === undefined) return undefined;
  const { openTraces } = await import('../src/reporting/open-traces.ts');
  return openTraces({ url, serviceName, sanitize: redact, log, timing });
}

/**
 * Reports why the job failed: on standard error, and with `json` also as an object on standard output. The sentences must
 * be sanitized.
 */
export async function tellFailure(sentences: readonly string[], json: boolean): Promise<void> {
  for (const sentence of sentences) tell(sentence);
  if (json) await print(JSON.stringify({ status: 'failed', error: sentences.join('; ') }));
}

/** Reads command line and settings. Throws `ConfigurationError` with all problems of both. */
async function prepare(
  job: Job,
  given: Given,
  { json, abort, announce, timing }: Pick<JobContext, 'json' | 'abort' | 'announce' | 'timing'>,
) {
  const needsSettings = job.needsSettings !== false;
  if (needsSettings) loadOwnSettings(given.problems);
  const run = job.prepare(given);
  const needsPlatform =
    typeof job.needsPlatform === 'function' ? job.needsPlatform(given) : job.needsPlatform;
  const config = needsSettings
    ? await readSettings({
        needsPlatform,
        problems: given.problems,
        named: namedSources(given.options.endpoints),
        organizations: choiceOf(job, given.options),
      })
    : parseConfig({}, { needsPlatform: false, readSecretFile: readSettingsFile, problems: given.problems });
  const context = await openContext(config, given.clock, { json, abort, announce, timing });
  return { context, run };
}

/** Opens the log, which redacts the secrets in the settings, and makes the context of a job. */
export async function openContext(
  config: Config,
  clock: Clock,
  {
    json,
    abort,
    announce,
    timing,
    observers = [],
  }: Pick<JobContext, 'json' | 'abort' | 'announce' | 'timing' | 'observers'>,
): Promise<JobContext> {
  const redact = createSanitizer([
    ...secretsOf(config, process.env),
    ...readableKeys(config.organizations ?? [], process.env),
  ]);
  const terminal = terminalOf(process.stderr, process.env);
  const log = await openLog({ level: config.logLevel, format: config.logFormat, redact, ...terminal });
  logWarnings({ log, redact });
  tellFaults();
  const isTerminal = terminal.moves && !json && config.logFormat !== 'json';
  return { config, log, redact, isTerminal, abort, clock, timing, json, announce, observers };
}

function outputOf({ json, text, verbatim, namesPersons }: Told, asJson: boolean, redact: Sanitizer): string {
  if (verbatim === true) return asJson ? JSON.stringify(json) : text;
  const sanitize = namesPersons === true ? redact.namingPersons : redact;
  return asJson ? JSON.stringify(sanitizeTexts(json, sanitize)) : sanitizeLines(text, sanitize);
}

/** Most characters of a line of output: many, because its values were shortened already when they were formatted. */
const mostOfLine = 10_000;

function sanitizeLines(text: string, sanitize: Sanitize): string {
  return text
    .split('\n')
    .map((line) => sanitize(line, mostOfLine))
    .join('\n');
}

/** A sentence for each problem of a `ConfigurationError`; any other error is one sentence. */
function sentencesOf(error: unknown): readonly string[] {
  return error instanceof ConfigurationError && error.problems.length > 1 ? error.problems : [explain(error)];
}

/** Prints a text. Ignores the error of a closed pipe: the reader, such as `head`, may have ended. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) =>
      !error || ('code' in error && error.code === 'EPIPE') ? resolve() : reject(error);
    process.stdout.once('error', settle);
    process.stdout.write(text === '' ? '' : `${text}\n`, settle);
  });
}
