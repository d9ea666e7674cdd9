/** Reads ids of sessions from the command line or from standard input. */
import { text } from 'node:stream/consumers';
import { ConfigurationError } from '../../src/model/errors.ts';
import { isSessionId } from '../../src/pipeline/sessions/registered-sessions.ts';

/** The argument that means standard input. */
export const standardInput = '-';

const expected = 'expected the id of a session: at most 2000 bytes, without control characters';

/** Adds a sentence to `problems` for each word that cannot be the id of a session. */
export function refuseOtherIds(ids: readonly string[], problems: string[]): void {
  for (const id of ids) if (!isSessionId(id)) problems.push(`${JSON.stringify(id)}: ${expected}`);
}

/**
 * The ids in the lines of standard input, without empty lines and the space around ids. Throws `ConfigurationError` that
 * names every invalid line.
 */
export async function idsOfInput(input: NodeJS.ReadableStream): Promise<readonly string[]> {
  const lines = (await text(input)).replace(/^\uFEFF/, '').split(/\r?\n/);
  const problems: string[] = [];
  const ids = lines.flatMap((line, index) => {
    const id = line.trim();
    if (id === '') return [];
    if (!isSessionId(id)) problems.push(`line ${index + 1}: ${expected}`);
    return [id];
  });
  if (ids.length === 0) problems.push('standard input: expected ids of sessions, a line each, got none');
  if (problems.length > 0) throw new ConfigurationError(problems);
  return ids;
}
