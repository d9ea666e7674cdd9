/** Finds the handler of a request. Each family of resources brings its own routes. */
import { TrieRouter } from 'hono/router/trie-router';
import { type Answer, Problem } from './answer.ts';

export interface RoutedRequest {
  readonly query: URLSearchParams;
  /** The `authorization` header. */
  readonly authorization: string | undefined;
}

/** Answers a request, or throws a `Problem`. */
export type Handler = (request: RoutedRequest) => Answer;

export interface Route {
  /** A path of Hono's router: `/computers/:id`. */
  readonly path: string;
  readonly methods: Readonly<Record<string, Handler>>;
}

/**
 * Makes a function that finds the handler for a method and path. That throws a `Problem`: 404 for a path
 * without a route, 405 for a method that the path does not take.
 */
export function createRouting(routes: readonly Route[]): (method: string, path: string) => Handler {
  const router = new TrieRouter<Route>();
  for (const route of routes) router.add('ALL', route.path, route);
  return (method, path) => {
    const route = router.match('ALL', path)[0][0]?.[0];
    if (route === undefined) throw new Problem(404, `nothing is served at ${path}`);
    const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
    if (handler !== undefined) return handler;
    const allowed = Object.keys(route.methods).join(', ');
    throw new Problem(405, `expected ${allowed} at ${path}, got ${method}`, { allow: allowed });
  };
}
