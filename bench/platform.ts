/** Starts and controls the simulated platform of a benchmark. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DayRange } from '../src/model/day.ts';
import {
  type PlatformAnswer,
  type PlatformOptions,
  type PlatformOrder,
  type PlatformRequest,
  platformAnswer,
} from './platform-messages.ts';

/** A running platform; disposing of it ends its process. */
export interface BenchPlatform extends AsyncDisposable {
  /** The value for `API_BASE_URL`. */
  readonly url: string;
  readonly apiKey: string;
  /** Changes every n-th user-day; resolves with the number of changed rows. */
  restate(days: DayRange, everyNth: number): Promise<number>;
  /** The requests since the last call, by time of arrival. */
  requests(): Promise<readonly PlatformRequest[]>;
}

const apiKey = 'bench-key';
const program = fileURLToPath(new URL('./platform-process.ts', import.meta.url));
/** Bytes of the platform's cache: enough for all answers of a part, so that only the first reading computes them. */
const roomForAllAnswers = 4 * 1024 ** 3;

/** Starts a platform with `users` users; by default without latency. */
export async function startPlatform(
  options: Pick<PlatformOptions, 'users'> & Partial<PlatformOptions>,
): Promise<BenchPlatform> {
  const all: PlatformOptions = { apiKey, latencyMs: 0, cacheBytes: roomForAllAnswers, ...options };
  const child = fork(program, [JSON.stringify(all)], { execArgv: ['--max-old-space-size=8192'] });
  const listening = await nextAnswer(child);
  if (listening.type !== 'listening')
    throw new TypeError(`expected the platform to listen, got ${listening.type}`);

  async function ask(order: PlatformOrder): Promise<PlatformAnswer> {
    const answered = nextAnswer(child);
    child.send(order);
    return answered;
  }

  return {
    url: listening.url,
    apiKey: all.apiKey,
    async restate({ from, to }, everyNth) {
      const answer = await ask({ type: 'restate', from, to, everyNth });
      return answer.type === 'restated' ? answer.rows : 0;
    },
    async requests() {
      const answer = await ask({ type: 'requests' });
      return answer.type === 'requests' ? answer.requests : [];
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function nextAnswer(child: ChildProcess): Promise<PlatformAnswer> {
  const stopWaiting = new AbortController();
  const { signal } = stopWaiting;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`expected the simulated platform to answer, but it ended with exit code ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return platformAnswer.parse(message);
  } finally {
    ended.catch(() => undefined);
    stopWaiting.abort();
  }
}
