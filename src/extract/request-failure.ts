/** The errors of failed requests to the platform, with advice for the user. */
import { CredentialsRefusedError, RequestFailedError } from '../model/errors.ts';
import type { ApiRequest } from './api-request.ts';
import type { AttemptError } from './attempt-error.ts';

export function requestFailed(
  { method, path }: ApiRequest,
  error: AttemptError,
  attempts: number,
): RequestFailedError {
  const asked = error.retryAfter === undefined ? '' : `; it asks to wait (Retry-After: ${error.retryAfter})`;
  const details = { smallerMayWork: error.smallerMayWork, cause: error };
  return new RequestFailedError(
    `${method} ${path} failed after ${attempts} attempt${attempts === 1 ? '' : 's'}${asked}`,
    error.status === undefined ? details : { ...details, status: error.status },
  );
}

/** The error of a request that was not sent, because the platform asked for too long a wait. */
export function requestNotSent(
  { method, path }: ApiRequest,
  error: AttemptError,
  attempts: number,
): RequestFailedError {
  const sent =
    attempts === 0
      ? 'was not sent'
      : `was not sent again after ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  return new RequestFailedError(
    `${method} ${path} ${sent}: the platform answered another request with a wait that is too long (Retry-After: ${error.retryAfter ?? 'none'}); run again after it`,
    { status: 429, cause: error },
  );
}

/** The path of the analytics endpoints, for which a credential needs a certain role (platform-api.md §5). */
const analyticsPath = '/api/v1/analytics/';

/** Where a user makes a key (platform-api.md §5). */
const makeKey = "make a key in the application's API key settings";

/** The error of a refused credential. It says which key is needed, and that it must be set in `place`. */
export function credentialsRefused(
  { method, path }: ApiRequest,
  status: 401 | 403,
  error: AttemptError,
  place: string,
): CredentialsRefusedError {
  const forbidden = path.startsWith(analyticsPath)
    ? 'this API key may not read analytics; only a user with the Manager or Owner role may: ' +
      `give its user that role, or ${makeKey} as a user with that role and put it into ${place}`
    : `this API key may not ${method} ${path}; ${makeKey} as a user who may and put it into ${place}`;
  const advice =
    status === 401
      ? `the platform does not accept this API key; ${makeKey} as a user with the Manager or Owner role and put it into ${place}`
      : forbidden;
  // The cause has the texts of the platform.
  return new CredentialsRefusedError(`${status}: ${advice}`, { status, cause: error });
}
