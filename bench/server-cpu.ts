/** CPU seconds of a Postgres server, all processes together, from Linux's `/proc`. */
import { readFileSync } from 'node:fs';

/** Ticks per second in `/proc/<pid>/stat` (`USER_HZ`). */
const ticksPerSecond = 100;
/** Most attempts to sum. A sum counts only if the same processes existed before and after it was made. */
const attempts = 20;

/** The times of a process in `/proc/<pid>/stat`, in ticks. */
interface ProcessTimes {
  readonly parent: number;
  readonly own: number;
  /** Time of child processes that have ended. */
  readonly ended: number;
}

/** The id of the server's first process, from that of a session's process; undefined when it cannot be read. */
export function postmasterOf(sessionPid: number): number | undefined {
  return readTimes(sessionPid)?.parent;
}

/**
 * CPU seconds of a server since its start, by the id of its first process; NaN when the system does not report them.
 */
export function serverCpuSeconds(postmaster: number | undefined): number {
  for (let attempt = 0; postmaster !== undefined && attempt < attempts; attempt++) {
    const children = childrenOf(postmaster);
    const living = children.map(readTimes);
    const server = readTimes(postmaster);
    const changed = childrenOf(postmaster).join() !== children.join();
    if (server === undefined || changed || living.includes(undefined)) continue;
    const ticks = living.reduce((sum, times) => sum + (times?.own ?? 0), server.own + server.ended);
    return ticks / ticksPerSecond;
  }
  return Number.NaN;
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readTimes(pid: number): ProcessTimes | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The second field, the name in parentheses, may contain any character. Count the fields after it (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 15) return undefined;
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
}

/** The text of a file; empty when the file does not exist or its process has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
