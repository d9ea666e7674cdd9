/** A proxy to Postgres that stops forwarding: connections stay open, but no data arrives. */
import { type Link, type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

/** A proxy on loopback that a test can silence. */
export interface SilentProxy extends PostgresProxy {
  /** Forwards nothing from now on. New connections are accepted. */
  fallSilent(): void;
  /** Forwards nothing after a send that contains the text; resolves at that moment. */
  fallSilentAt(text: string): Promise<void>;
  /** Resolves when a new connection sends something while nothing is forwarded. */
  knocked(): Promise<void>;
  /** Forwards what was held back, and everything after it. */
  speak(): void;
}

/** Starts a proxy for the server at `url`, which must not ask for TLS. */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  let isSilent = false;
  let trigger: string | undefined;
  let reached: () => void = () => undefined;
  let knock: () => void = () => undefined;
  const held: (() => void)[] = [];
  const links = new Set<Link>();

  function fallSilent(): void {
    isSilent = true;
    // As with a paused server, data that is not read stays in the buffers until they are full.
    for (const { client, upstream } of links) for (const socket of [client, upstream]) socket.pause();
  }

  const proxy = await startPostgresProxy(url, {
    fromClient(bytes, link) {
      const { client, upstream } = link;
      if (isSilent) {
        if (!links.has(link)) knock();
        links.add(link);
        client.pause();
        held.push(() => upstream.write(bytes));
        return;
      }
      links.add(link);
      upstream.write(bytes);
      if (trigger !== undefined && bytes.includes(trigger)) {
        trigger = undefined;
        fallSilent();
        reached();
      }
    },
    fromServer(bytes, { client }) {
      if (isSilent) held.push(() => client.write(bytes));
      else client.write(bytes);
    },
  });
  return {
    ...proxy,
    fallSilent,
    fallSilentAt(text) {
      trigger = text;
      return new Promise((resolve) => {
        reached = resolve;
      });
    },
    knocked: () =>
      new Promise((resolve) => {
        knock = resolve;
      }),
    speak() {
      isSilent = false;
      for (const write of held.splice(0)) write();
      for (const { client, upstream } of links) for (const socket of [client, upstream]) socket.resume();
    },
  };
}
