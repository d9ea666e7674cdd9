/** The text of the progress bar. */
import type { Progress } from '../model/work/run-progress.ts';
import { counted, numberText } from './number-text.ts';

/** What the line shows: the progress of a run, and the number of records that it has read. */
export interface ShownProgress extends Progress {
  readonly records: number;
}

const widestBar = 24;
const narrowestBar = 6;

/** A line of less than `columns` characters: a bar, the finished share, the time left, and more figures if they fit. */
export function progressLine(progress: ShownProgress, columns: number): string {
  const { share, part, parts, requests, records, timeLeftMs } = progress;
  const percent = `${Math.floor(100 * share)}%`.padStart(4);
  const texts = [`${percent} · ${parts.done}/${parts.total} ${part}s`];
  const more = [
    timeLeftMs === undefined ? 'time left …' : `${duration(timeLeftMs)} left`,
    ...(requests === undefined ? [] : [`${numberText(requests.done)}/${counted(requests.total, 'request')}`]),
    ...(records === 0 ? [] : [counted(records, 'record')]),
  ];
  for (const text of more) {
    const line = [...texts, text].join(' · ');
    // The last column stays free, because some terminals wrap a full line.
    if (line.length + narrowestBar + 2 < columns) texts.push(text);
  }
  const text = texts.join(' · ');
  const room = Math.min(widestBar, columns - text.length - 2);
  if (room < narrowestBar) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.round(room * share);
  return `${'█'.repeat(filled)}${'░'.repeat(room - filled)} ${text}`;
}

/** A duration in words, rounded up: to 5 s below a minute, to whole minutes below two hours. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds <= 5) return `${seconds} s`;
  if (seconds <= 60) return `${Math.ceil(seconds / 5) * 5} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
