/** The one line that moves while a run goes on. */
import { counted } from './number-text.ts';

/** How far a run is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly rows: number;
  readonly requests: number;
  readonly elapsedMs: number;
  /** Of that, until the last slice was done. */
  readonly lastDoneMs: number;
}

const widestBar = 24;
const narrowestBar = 6;

/** A line of at most `columns`: a bar, the share that is done, the time that is left, and as many figures as there is room for. */
export function progressLine(progress: Progress, columns: number): string {
  const { done, total, rows, requests } = progress;
  const percent = `${Math.floor((100 * done) / Math.max(1, total))}%`.padStart(4);
  const parts = [`${percent} · ${done}/${total} slices`];
  const more = [timeLeft(progress), counted(rows, 'row'), counted(requests, 'request')];
  for (const part of more) {
    const line = [...parts, part].join(' · ');
    // The last column stays free: some terminals go on to the next line as soon as it is filled.
    if (line.length + narrowestBar + 2 < columns) parts.push(part);
  }
  const text = parts.join(' · ');
  const room = Math.min(widestBar, columns - text.length - 2);
  if (room < narrowestBar) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.round((room * done) / Math.max(1, total));
  return `${'█'.repeat(filled)}${'░'.repeat(room - filled)} ${text}`;
}

/** Earlier, the speed is that of the first few answers. */
const saysNothingBeforeMs = 3_000;
const saysNothingBeforeShare = 0.02;

/**
 * How long it will still take at the speed since the start. Slices come in bursts: the speed is taken when the last one
 * came, and the time counts down from then on, so that it does not jump with each burst.
 */
export function timeLeft({ done, total, elapsedMs, lastDoneMs }: Progress): string {
  if (elapsedMs < saysNothingBeforeMs || done < saysNothingBeforeShare * total || done === 0)
    return 'time left …';
  const slices = total - done;
  const countedDown = (lastDoneMs / done) * slices - (elapsedMs - lastDoneMs);
  // Where the next burst is long overdue, the speed since the start says more.
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
