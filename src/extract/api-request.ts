/** A request to the platform, and its options. */
import type { RequestPurpose } from '../model/run.ts';
import type { Method } from './http-exchange.ts';

/** A request to the platform. */
export interface ApiRequest {
  readonly method: Method;
  /** Below the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly body?: object;
  /**
   * Whether repeating it is harmless. If not, it is repeated only after a 429, which means that it was not carried out.
   */
  readonly isRepeatable: boolean;
}

/** Options of a request. */
export interface RequestOptions {
  /** Undefined for requests that load nothing. */
  readonly purpose?: RequestPurpose;
  /** Attempts after the first; at most as many as the client allows. */
  readonly maxRetries?: number;
  /** Attempts after the first when a smaller request may succeed. */
  readonly maxRetriesIfTooLarge?: number;
  /** Whether error messages leave out the platform's texts: they may quote a private text. */
  readonly withholdsWords?: boolean;
}
