/** Finds the handler of a request among the routes of all resources. */
import { TrieRouter } from 'hono/router/trie-router';
import { type Answer, Problem } from './answer.ts';

export interface RoutedRequest {
  readonly query: URLSearchParams;
  /** The parameters in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  /** The bytes of the body; empty without one. */
  readonly body: Uint8Array;
  /** The `authorization` header. */
  readonly authorization: string | undefined;
}

/** Answers a request, or throws a `Problem`. */
export type Handler = (request: RoutedRequest) => Answer;

export interface Route {
  /** A path in the form of Hono's router: `/computers/:id`. */
  readonly path: string;
  readonly methods: Readonly<Record<string, Handler>>;
}

/** A handler with the parameters of the path. */
export interface Found {
  readonly handler: Handler;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Returns a function that finds the handler of a method and path. It throws a `Problem`: 404 for an unknown path, 405
 * for a wrong method. A path may belong to several routes with different methods.
 */
export function createRouting(routes: readonly Route[]): (method: string, path: string) => Found {
  const router = new TrieRouter<Route>();
  for (const route of routes) router.add('ALL', route.path, route);
  return (method, path) => {
    const [matches] = router.match('ALL', path);
    const found = matches.map(([route, parameters]) => ({ route, parameters }));
    if (found.length === 0) throw new Problem(404, `nothing is served at ${path}`);
    for (const { route, parameters } of found) {
      const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
      if (handler !== undefined) return { handler, path: decoded(parameters) };
    }
    const allowed = found.flatMap(({ route }) => Object.keys(route.methods)).join(', ');
    throw new Problem(405, `expected ${allowed} at ${path}, got ${method}`, { allow: allowed });
  };
}

/** The parameters, percent-decoded. Throws a `Problem` 404 for invalid percent-encoding. */
function decoded(parameters: Readonly<Record<string, unknown>>): Record<string, string> {
  const decode = (value: unknown) => {
    try {
      return decodeURIComponent(String(value));
    } catch {
      throw new Problem(404, `${value} is not percent-encoded text`);
    }
  };
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decode(value)]));
}
