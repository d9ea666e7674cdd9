import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/run.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { openLog } from '../../src/reporting/log.ts';
import { createProgressBar } from '../../src/reporting/progress-bar.ts';
import { createRunReporter } from '../../src/reporting/run-reporter.ts';
import { linesShown } from '../support/terminal.ts';

describe('in a pipe', () => {
  test('a verification logs its plan, and every ten seconds how far it is', async () => {
    const lines: { msg: string; time?: string; level?: string }[] = [];
    const log = await openLog({
      level: 'info',
      format: 'json',
      redact: createSanitizer([]),
      isTerminal: false,
      colors: false,
      stream: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    let now = 0;
    const { signal } = new AbortController();
    const counts = { sent: 7, retried: 0 };
    const reporter = createRunReporter(log, { counts, showsBar: false, signal, now: () => now });
    const steps = { compare: 20, check: 5, archive: 9 };
    const events: RunEvent[] = [{ type: 'steps-planned', steps, requestsAtLeast: 4 }];
    for (let step = 0; step < 5; step++) events.push({ type: 'steps-done', kind: 'compare', steps: 4 });
    for (const event of events) {
      reporter.onEvent(event);
      now += 4_000;
    }
    reporter.stop();
    expect(lines.map(({ time: _, level: __, ...line }) => line)).toEqual([
      {
        ...steps,
        requests_at_least: 4,
        msg: 'planned: 20 slices to compare with the platform in at least 4 requests, 5 checks in the warehouse, 9 slices to compare with the raw archive',
      },
      { steps: 12, planned: 34, requests: 7, msg: 'progress' },
    ]);
  });
});

describe('on a terminal', () => {
  test.each([80, 200])('of %i columns a line in the place of the bar leaves nothing of it', (columns) => {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const stream = { isTTY: true, columns, write };
    const bar = createProgressBar((width) => '█'.repeat(width - 1), stream);
    bar.start();
    // What the terminal writes itself stands at the cursor.
    stream.write('^C');
    bar.stop();
    stream.write('Interrupted\n');
    expect(screenOf(output, columns)).toEqual(['Interrupted']);
    expect(linesShown(output).some((line) => line.includes('█'))).toBe(true);
  });
});

/** The lines of a terminal in the end. */
function screenOf(output: string, columns: number): string[] {
  const screen: string[][] = [[]];
  let column = 0;
  for (const [part] of output.replaceAll(/\u001b\[\?25[lh]/g, '').matchAll(/\u001b\[K|./gsu)) {
    const row = screen.at(-1) ?? [];
    if (part === '\u001b[K') row.splice(column);
    else if (part === '\r') column = 0;
    else if (part === '\n') {
      screen.push([]);
      column = 0;
    } else {
      if (column === columns) {
        screen.push([]);
        column = 0;
      }
      (screen.at(-1) ?? [])[column++] = part;
    }
  }
  return screen.map((row) => row.join('')).filter((line) => line !== '');
}
