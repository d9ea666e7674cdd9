/** The sessions of a simulated organization; their messages are added over time. */
import type { Clock } from '../model/clock.ts';
import type { Day } from '../model/day.ts';
import type { Message } from '../model/platform/session-messages.ts';
import { type OpenPoints, openPointsOf } from './open-points.ts';
import { hash } from './random.ts';
import { messageOf } from './session-message.ts';

export interface Sessions {
  /** The messages that a session has now, oldest first; undefined if the session does not exist, or not yet. */
  messages(sessionId: string): Message[] | undefined;
}

/** A platform without sessions. */
export const noSessions: Sessions = { messages: () => undefined };

const salts = { start: 81, length: 82 } as const;
const millisecondsBetweenSessions = 5 * 3_600_000;
const millisecondsBetweenMessages = 40_000;

/** Sessions made from a seed: `session_000000001`, …. One begins every five hours or so. */
export function sessionsOf(
  { seed, clock, points = openPointsOf() }: { seed: number; clock: Clock; points?: OpenPoints },
  from: Day,
): Sessions {
  const begin = Date.parse(`${from}T07:00:00Z`);
  return {
    messages(sessionId) {
      const number = Number(/^session_(\d{9})$/.exec(sessionId)?.[1] ?? 0);
      if (number === 0) return undefined;
      const startedAt =
        begin +
        (number - 1) * millisecondsBetweenSessions +
        (hash(seed, salts.start, number) % millisecondsBetweenSessions);
      if (startedAt > clock()) return undefined;
      const drawn = hash(seed, salts.length, number);
      // One session in ten has more messages than fit into one page of any size.
      const count = number % 10 === 1 ? 230 + (drawn % 200) : 2 + (drawn % 60);
      const messages: Message[] = [];
      for (let index = 0; index < count; index++) {
        const at = startedAt + index * millisecondsBetweenMessages;
        if (at > clock()) break;
        messages.push(messageOf({ seed, session: number, index, count, at, now: clock(), points }));
      }
      return messages;
    },
  };
}
