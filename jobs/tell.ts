/** Writes sentences to standard error: as plain text, or with LOG_FORMAT=json as lines of the log. */

/** Writes one sentence, which the caller must have sanitized. */
export function tell(sentence: string, level: 'error' | 'warn' | 'info' = 'error'): void {
  process.stderr.write(
    wantsLinesOfLog()
      ? `${JSON.stringify({ level, time: new Date().toISOString(), msg: sentence })}\n`
      : `usage-etl: ${sentence}\n`,
  );
}

/** Whether standard error must contain only lines of JSON. */
export function wantsLinesOfLog(): boolean {
  return process.env.LOG_FORMAT === 'json';
}
