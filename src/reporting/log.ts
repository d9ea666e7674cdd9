/** The log: JSON lines for machines, readable lines for people, always on standard error. */
import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino';
import { type Sanitizer, sanitizeTexts } from '../model/sanitize.ts';

/** Options of the log. */
export interface LogOptions {
  readonly level: string;
  readonly format: 'auto' | 'pretty' | 'json';
  /** Sanitizes every text of a line. */
  readonly redact: Sanitizer;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  /** Whether readable lines may be coloured. */
  readonly colors: boolean;
  /** Where lines of JSON are written; default standard error. */
  readonly stream?: DestinationStream;
}

export type Log = Logger;

/** Opens the log. Every text of a line is sanitized before it is written. */
export async function openLog({
  level,
  format,
  redact,
  isTerminal,
  colors,
  stream: lines,
}: LogOptions): Promise<Log> {
  const pretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const stream = pretty ? await prettyStream(colors) : (lines ?? destination({ dest: 2, sync: true }));
  return logInto(stream, level, (parts) => sanitizeTexts(parts, redact));
}

/** Where the lines of a log go. */
const streams = new WeakMap<Log, DestinationStream>();

/**
 * A log with the same level and stream. Its lines have `organization`, the name of an organization; the platform's id, if a line
 * has one, is `org_id`. `redact` sanitizes every text. `beforeLine` is called before each line.
 */
export function logOfOrganization(
  log: Log,
  redact: Sanitizer,
  organization: string,
  beforeLine: () => void = () => undefined,
): Log {
  const stream = streams.get(log);
  // Only a log that somebody else made has no stream.
  if (stream === undefined) return log.child({ organization });
  const prepared = ([first, ...others]: Parts): Parts => {
    beforeLine();
    return sanitizeTexts([withId(first), ...others], redact);
  };
  return logInto(stream, log.level, prepared, { organization });
}

function withId(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('organization' in part)) return part;
  const { organization: org_id, ...others } = part;
  return { ...others, org_id };
}

/** The streams whose lines people read. */
const forPeople = new WeakSet<DestinationStream>();

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;
type Parts = Parameters<LogMethod>[0];

function logInto(
  stream: DestinationStream,
  level: string,
  prepared: (parts: Parts) => Parts,
  base: object | null = null,
): Log {
  const log = pino(
    {
      level,
      base,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        // People read the figures that are not zero; machines want every field.
        ...(forPeople.has(stream) ? { log: withoutZeros } : {}),
      },
      hooks: {
        logMethod(parts, method) {
          method.apply(this, prepared(parts));
        },
      },
    },
    stream,
  );
  streams.set(log, stream);
  return log;
}

/** The fields of a line without zeros, and without objects that hold nothing else. */
function withoutZeros(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === 0) return [];
      const isRecord = value instanceof Object && Object.getPrototypeOf(value) === Object.prototype;
      const shown = isRecord ? withoutZeros(value) : value;
      return isRecord && Object.keys(shown).length === 0 ? [] : [[name, shown]];
    }),
  );
}

async function prettyStream(colorize: boolean): Promise<DestinationStream> {
  // Loaded only when lines are for people, so that a log in JSON starts sooner.
  const { default: build } = await import('pino-pretty');
  const stream = build({
    colorize,
    destination: 2,
    sync: true,
    translateTime: 'HH:MM:ss',
    ignore: 'pid,hostname',
  });
  forPeople.add(stream);
  return stream;
}
