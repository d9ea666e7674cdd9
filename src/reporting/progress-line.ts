/** The text of the progress bar. */
import { counted } from './number-text.ts';

/** The progress of a run. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly rows: number;
  readonly requests: number;
  readonly elapsedMs: number;
  /** Elapsed time when the last slice was done. */
  readonly lastDoneMs: number;
  /** What is counted; default slices. */
  readonly things?: string;
}

const widestBar = 24;
const narrowestBar = 6;

/** A line of at most `columns` characters: a bar, the finished share, the time left, and more figures if they fit. */
export function progressLine(progress: Progress, columns: number): string {
  const { done, total, rows, requests, things = 'slices' } = progress;
  const percent = `${Math.floor((100 * done) / Math.max(1, total))}%`.padStart(4);
  const parts = [`${percent} · ${done}/${total} ${things}`];
  const more = [timeLeft(progress), counted(rows, 'row'), counted(requests, 'request')];
  for (const part of more) {
    const line = [...parts, part].join(' · ');
    // The last column stays free, because some terminals wrap a full line.
    if (line.length + narrowestBar + 2 < columns) parts.push(part);
  }
  const text = parts.join(' · ');
  const room = Math.min(widestBar, columns - text.length - 2);
  if (room < narrowestBar) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.round((room * done) / Math.max(1, total));
  return `${'█'.repeat(filled)}${'░'.repeat(room - filled)} ${text}`;
}

/** Before this the speed is not representative. */
const saysNothingBeforeMs = 3_000;
const saysNothingBeforeShare = 0.02;

/**
 * The time left at the speed so far. Slices finish in bursts: the speed is taken at the last finished slice and then
 * counted down, so that it does not jump with each burst.
 */
export function timeLeft({ done, total, elapsedMs, lastDoneMs }: Progress): string {
  if (elapsedMs < saysNothingBeforeMs || done < saysNothingBeforeShare * total || done === 0)
    return 'time left …';
  const slices = total - done;
  const countedDown = (lastDoneMs / done) * slices - (elapsedMs - lastDoneMs);
  // When the next burst is overdue, the average speed is better.
  return `${duration(Math.max(countedDown, ((elapsedMs / done) * slices) / 2))} left`;
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
