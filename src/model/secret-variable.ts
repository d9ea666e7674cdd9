/** Secrets that stand in a variable, or in a file that the variable of the same name with `_FILE` names. */

/**
 * Reads a file that holds a secret. Throws when it cannot: an error with a code, or one whose message goes on after
 * "the file that it names".
 */
export type ReadSecretFile = (path: string) => string;

/** Variables whose value is a secret. */
export const secretVariables = ['API_KEY', 'DATABASE_URL', 'NOTIFY_WEBHOOK_URL', 'HEARTBEAT_URL'] as const;

/** A secret, and the variable that gave it. */
export interface GivenSecret {
  readonly variable: string;
  readonly text: string;
}

/**
 * Finds a secret, without white space around it; undefined when there is none. Adds a sentence to `problems` when it
 * cannot be had, or could be either of two.
 */
export function givenSecret(
  name: string,
  given: Readonly<Record<string, string | undefined>>,
  readSecretFile: ReadSecretFile,
  problems: string[],
): GivenSecret | undefined {
  const fileVariable = `${name}_FILE`;
  const [direct, file] = [given[name], given[fileVariable]];
  if (direct !== undefined && file !== undefined) {
    problems.push(`${name}, ${fileVariable}: both are set; set one of them`);
    return undefined;
  }
  if (direct !== undefined) return { variable: name, text: direct.trim() };
  if (file === undefined) return undefined;
  try {
    return { variable: fileVariable, text: readSecretFile(file).trim() };
  } catch (error) {
    // Without its name: who mistakes the variable for the secret itself has put that there.
    problems.push(`${fileVariable}: the file that it names ${reasonOf(error)}`);
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read';
  return 'code' in error ? `cannot be read (${String(error.code)})` : error.message;
}
