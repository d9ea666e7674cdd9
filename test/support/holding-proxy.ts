/** A proxy to Postgres that stops a client at a certain step, for as long as a test wants. */
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

/** A proxy on loopback that holds back what the program sends. */
export interface HoldingProxy extends PostgresProxy {
  /** Holds back the send with this number and all after it; the next send has number 1. Resolves when it has arrived. */
  holdSend(number: number): Promise<void>;
  /** Forwards what is held back, and holds back nothing more. */
  release(): void;
}

/** Starts a proxy for the server at `url`, which must not ask for TLS. */
export async function startHoldingProxy(url: string): Promise<HoldingProxy> {
  let untilHeld: number | undefined;
  let arrived: () => void = () => undefined;
  let held: (() => void)[] = [];
  const proxy = await startPostgresProxy(url, {
    fromClient(bytes, { upstream }) {
      if (untilHeld !== undefined && untilHeld > 0) untilHeld -= 1;
      if (untilHeld !== 0) return void upstream.write(bytes);
      held.push(() => upstream.write(bytes));
      arrived();
    },
    fromServer: (bytes, { client }) => void client.write(bytes),
  });
  return {
    ...proxy,
    holdSend(number) {
      untilHeld = number;
      return new Promise((resolve) => {
        arrived = resolve;
      });
    },
    release() {
      untilHeld = undefined;
      for (const write of held) write();
      held = [];
    },
  };
}
