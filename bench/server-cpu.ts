/** Seconds of CPU that a Postgres server has used, all its processes together, as Linux counts them in `/proc`. */
import { readFileSync } from 'node:fs';

/** The unit of `/proc/<pid>/stat`, whatever the kernel's own clock (`USER_HZ`). */
const ticksPerSecond = 100;
/** Sessions end while we look: the sum is taken again until the same processes were there before and after. */
const attempts = 20;

/** What `/proc/<pid>/stat` says of a process, in ticks. */
interface ProcessTimes {
  readonly parent: number;
  readonly own: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

/** The first process of the server that has a session with process id `sessionPid`; undefined where it cannot be seen. */
export function postmasterOf(sessionPid: number): number | undefined {
  return readTimes(sessionPid)?.parent;
}

/** CPU seconds of a server since its start, by the process id of its first process; NaN where the system does not tell. */
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
  // The name stands in brackets and may hold anything; the fields are counted behind it (proc_pid_stat(5), field 3 on).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 15) return undefined;
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
}

/** Empty where there is no such file, and of a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
