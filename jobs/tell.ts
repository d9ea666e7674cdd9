/** Sentences on standard error, for whoever runs the program: plain, or as lines of the log where only those may stand there. */

/** Tells one sentence, which is sanitized. */
export function tell(sentence: string, level: 'error' | 'warn' | 'info' = 'error'): void {
  process.stderr.write(
    wantsLinesOfLog()
      ? `${JSON.stringify({ level, time: new Date().toISOString(), msg: sentence })}\n`
      : `usage-etl: ${sentence}\n`,
  );
}

/** Whether whoever reads standard error expects JSON and nothing else. */
export function wantsLinesOfLog(): boolean {
  return process.env.LOG_FORMAT === 'json';
}
