/** The log: JSON lines for machines, readable lines for people, always on standard error. */
import { type DestinationStream, destination, type Logger, pino } from 'pino';
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
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        // For people, figures that are zero are left out; machines want every field.
        ...(pretty ? { log: withoutZeros } : {}),
      },
      hooks: {
        logMethod(parts, method) {
          method.apply(this, sanitizeTexts(parts, redact));
        },
      },
    },
    stream,
  );
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
  return build({ colorize, destination: 2, sync: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' });
}
