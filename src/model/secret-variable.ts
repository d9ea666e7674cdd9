/** Reads secrets from a variable `NAME`, or from the file that `NAME_FILE` names. */

/**
 * Reads the file of a secret. Throws an error with a code, or an error whose message continues the sentence "the file
 * that it names …".
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
 * Reads the secret `name` without surrounding white space; undefined when it is not set. Adds a sentence to `problems`
 * when the secret cannot be read, or is set by both variables.
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
    // The message leaves out the path: the user may have written the secret itself in its place.
    problems.push(`${fileVariable}: the file that it names ${reasonOf(error)}`);
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read';
  return 'code' in error ? `cannot be read (${String(error.code)})` : error.message;
}
