/** The system's name of an error (`ENOENT`) or Postgres' SQLSTATE; undefined when the error has neither. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
