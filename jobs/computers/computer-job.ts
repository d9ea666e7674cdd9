/** The common parts of the commands about computers: access to the platform, `--wait`, and the result. */
import type { Command } from 'commander';
import type { z } from 'zod';
import type { ChangeRules } from '../../src/extract/change-once.ts';
import { followStatus } from '../../src/extract/computer-status.ts';
import { type ComputersClient, computersClient } from '../../src/extract/computers-client.ts';
import type { ClientEvent } from '../../src/extract/platform-client.ts';
import type { AnsweredComputer } from '../../src/model/platform/computers.ts';
import { sanitizeTexts } from '../../src/model/sanitize.ts';
import { refuseKeyOfAnother } from '../../src/pipeline/organization/organization-of-credential.ts';
import { withPlatform } from '../../src/pipeline/runs/with-platform.ts';
import { describeComputer } from '../../src/reporting/computers-text.ts';
import { organizationProbes } from '../../src/sources/registry.ts';
import { exitCode, type Given, type JobContext, type JobResult, wholeOption } from '../job.ts';
import { tell } from '../tell.ts';

/** The client for a command about computers, and the rules for changes that must not be made twice. */
export interface Access {
  readonly client: ComputersClient;
  readonly rules: ChangeRules;
}

/** Does the work of a command with a client for the platform. */
export async function withComputers(
  context: JobContext,
  work: (access: Access) => Promise<JobResult>,
): Promise<JobResult> {
  const { config, abort, clock, log, redact, timing } = context;
  // Cancel open requests after the work, so that they do not keep the process alive.
  const done = new AbortController();
  const ownOptions = {
    signal: AbortSignal.any([abort.signal, done.signal]),
    // E-mails stay in answers: the command stores nothing, and compares them with those that it sent.
    withholdsEmails: false,
    onEvent(event: ClientEvent) {
      if (event.type !== 'retry') return;
      const { path, reason, waitMs } = event;
      log.warn({ path: redact(path), reason: redact(reason), waitMs: Math.round(waitMs) }, 'asking again');
    },
  };
  const rules: ChangeRules = {
    maxRetries: config.maxRetries,
    signal: abort.signal,
    timing,
    onLost: (sentence) => tell(redact(`${sentence}; looking up whether the change was made`), 'warn'),
  };
  return withPlatform(context, ownOptions, async (client) => {
    try {
      const question = { client, probes: organizationProbes, clock, onEvent: () => undefined };
      await refuseKeyOfAnother(question, config.organization);
      return await work({ client: computersClient(client), rules });
    } finally {
      done.abort();
    }
  });
}

/** How long a command waits for a computer; undefined means that it does not wait. */
export type Waiting = { readonly timeoutMs: number } | undefined;

const defaultTimeoutSeconds = 900;
const longestTimeoutSeconds = 86_400;

/** Adds the options that `waitingOf` reads. */
export function withWaitOptions(command: Command): Command {
  return command
    .option('--wait', 'wait until the computer is active (exit 0) or in error (exit 1)')
    .option('--timeout <seconds>', `wait at most so long, then exit 1 (default ${defaultTimeoutSeconds})`);
}

/** Reads `--wait` and `--timeout`. */
export function waitingOf({ options, problems }: Given): Waiting {
  const bounds = [1, longestTimeoutSeconds] as const;
  const seconds = wholeOption(options.timeout, '--timeout', defaultTimeoutSeconds, bounds, problems);
  return options.wait === true ? { timeoutMs: seconds * 1_000 } : undefined;
}

/** Makes the result from a computer: at once or, with `waiting`, after its final status. `before` is as in `Wait`. */
export async function endWith(
  { client }: Access,
  { redact, abort, log }: JobContext,
  ended: {
    readonly computer: AnsweredComputer;
    readonly before?: AnsweredComputer;
    readonly waiting: Waiting;
    /** More fields of the JSON. */
    readonly json: object;
  },
): Promise<JobResult> {
  const { computer: first, before, waiting } = ended;
  const onStatus = ({ id, status }: AnsweredComputer) =>
    log.info({ computer: redact(id), status: redact(status ?? 'none') }, 'the status of the computer');
  if (waiting !== undefined) onStatus(first);
  const { computer, problem } =
    waiting === undefined
      ? { computer: first, problem: undefined }
      : await followStatus(client, {
          computer: first,
          before,
          timeoutMs: waiting.timeoutMs,
          signal: abort.signal,
          onStatus,
        });
  const result = {
    json: { ...ended.json, status: computer.status ?? null, computer },
    text: describeComputer(sanitizeTexts(computer, redact)),
  };
  const hasFailed = waiting !== undefined && computer.status === 'error';
  if (problem === undefined && !hasFailed) return result;
  const error = `${JSON.stringify(computer.name)}: ${problem ?? 'it ended in error'}`;
  tell(redact(error));
  return { ...result, exitCode: exitCode.incomplete, error };
}

/** Reads the name or id of a computer. Adds a sentence to `problems` if it is empty, `.` or `..`. */
export function nameOrId({ arguments: [text = ''], problems }: Given): string {
  refuseDots(text, 'the name or id of a computer', problems);
  if (text === '') problems.push('the name or id of a computer: expected a text, got an empty one');
  return text;
}

/** Adds a sentence to `problems` for `.` and `..`, because they have a meaning in a URL path. */
export function refuseDots(text: string, what: string, problems: string[]): void {
  if (text === '.' || text === '..')
    problems.push(`${what}: ${JSON.stringify(text)} cannot stand in a path; use the id, or another name`);
}

/**
 * Parses options with a schema. Adds a sentence to `problems` for each wrong option. `names` has the name on the command
 * line for each field of the schema.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  given: object,
  names: Readonly<Record<string, string>>,
  problems: string[],
): z.output<Schema> | undefined {
  const parsed = schema.safeParse(given);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const [field = '', ...rest] = path.map(String);
    problems.push(`${[names[field] ?? field, ...rest].join(' ')}: ${message}`);
  }
  return parsed.data;
}

/** An object with the field of an option; an empty object if the option was not given. */
export function field(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}
