/** Asks the platform, and opens what it answers. */
import type { Request } from '../model/partitioning.ts';
import type { Envelope } from '../model/source.ts';
import { openAnswer, type Page } from './envelope.ts';
import type { Patience, PlatformClient } from './platform-client.ts';

/**
 * Sends a request; a body that is not JSON is asked for again. Throws what `PlatformClient.get` and `openAnswer` throw.
 */
export function ask(
  client: PlatformClient,
  envelope: Envelope,
  request: Request,
  patience: Patience = {},
): Promise<Page> {
  return client.get(request.path, request.query, (body) => openAnswer(body, envelope, request), patience);
}
