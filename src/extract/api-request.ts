/** A request to the platform, and its options. */
import type { RequestPurpose } from '../model/run.ts';
import type { Method } from './http-exchange.ts';

/** A request to the platform. */
export interface ApiRequest {
  readonly method: Method;
  /** The path below the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly body?: object;
  /**
   * Whether sending the request again is harmless. If not, it is sent again only after a 429, which means that the
   * platform has not carried it out.
   */
  readonly isRepeatable: boolean;
}

/** Options of a request. */
export interface RequestOptions {
  /** What the request is for; undefined if it brings no records. */
  readonly purpose?: RequestPurpose;
  /** Most attempts after the first; the client's own limit holds, too. */
  readonly maxRetries?: number;
  /** Most attempts after the first when the error says that a smaller request may succeed. */
  readonly maxRetriesIfTooLarge?: number;
  /** Whether error messages leave out the texts of the platform, which may quote a private text. */
  readonly withholdsWords?: boolean;
}
