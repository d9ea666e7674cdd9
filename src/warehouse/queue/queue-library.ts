/** Loads graphile-worker, the library of the queue. Only commands that use the queue load it. */
import { registerHooks } from 'node:module';
import pg from 'pg';

/**
 * At its import the library looks for a configuration file in the working directory and in all folders above it, and runs
 * it. The package that finds the file is replaced by this module, which finds none. `rolldown.config.ts` does the same in
 * the bundle.
 */
const findsNothing = 'data:text/javascript,export const cosmiconfigSync = () => ({ search: () => null });';

/** The library. Its import runs no file of the working directory. */
export async function loadQueueLibrary(): Promise<typeof import('graphile-worker')> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'cosmiconfig'
        ? { url: findsNothing, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return await import('graphile-worker');
  } finally {
    hooks.deregister();
  }
}

/** A statement as the library sends it. */
export interface LibraryStatement {
  readonly text: string;
  readonly values?: unknown[];
  /** The name of a prepared statement. */
  readonly name?: string;
}

/**
 * A pool for the library, without connections of its own: `answer` gets every statement. A request for a connection that
 * only listens for notifications is never answered. Workers look for jobs often enough without it. And a notification
 * about a migration would set the exit code of the process.
 */
export function poolForLibrary(
  answer: (statement: LibraryStatement) => Promise<Pick<pg.QueryResult, 'rows'>>,
): pg.Pool {
  const client = {
    query: (given: string | LibraryStatement, values?: unknown[]) =>
      answer(typeof given === 'string' ? { text: given, ...(values && { values }) } : given),
    release: () => undefined,
  };
  const pool = new pg.Pool();
  // Without listeners the library writes to the console.
  pool.on('error', () => undefined);
  pool.on('connect', () => undefined);
  return Object.defineProperty(pool, 'connect', {
    value: (listen?: unknown) => (listen === undefined ? Promise.resolve(client) : undefined),
  });
}

/** A log of the library that goes to `hear`, without the jobs and their payloads that the library adds to its sentences. */
export async function loggerForLibrary(
  hear: (level: string, sentence: string) => void,
): Promise<import('graphile-worker').Logger> {
  const { Logger } = await loadQueueLibrary();
  return new Logger(() => (level, sentence) => hear(level, sentence));
}
