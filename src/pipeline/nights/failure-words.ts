/**
 * Why something of a night failed, in words for a message. Many people may read them in a chat, so they come from this
 * program only: the platform's texts may name a person.
 */
import { AttemptError } from '../../extract/attempt-error.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  LockHeldError,
  RequestFailedError,
  TooManyRejectedError,
  UnexpectedAnswerError,
  WarehouseError,
} from '../../model/errors.ts';
import type { AttemptStatus } from '../../model/run.ts';

/** Why a slice failed, such as `HTTP 503`. */
export function sliceFailureInWords(error: unknown): string {
  if (error instanceof RequestFailedError) return statusInWords(attemptStatusOf(error));
  if (error instanceof UnexpectedAnswerError) return 'an answer that is not as documented';
  if (error instanceof TooManyRejectedError) return 'too many rejected records, see etl.rejected_row';
  return ownWords(error) || 'see the log';
}

/** The result of an attempt, such as `HTTP 503`. */
export function statusInWords(status: AttemptStatus): string {
  if (status === 'timeout') return 'no answer in time';
  if (status === 'network') return 'no connection';
  return status === 200 ? 'an answer that cannot be read' : `HTTP ${status}`;
}

function attemptStatusOf(error: RequestFailedError): AttemptStatus {
  if (error.status !== undefined) return error.status;
  const { cause } = error;
  return cause instanceof AttemptError && cause.isTimeout ? 'timeout' : 'network';
}

/**
 * Why a run stopped early, or could not begin; `unanswered` are the requests without a good answer, `keyPlace` is where
 * people put the key.
 */
export function stopInWords(
  error: unknown,
  unanswered: ReadonlyMap<string, AttemptStatus>,
  keyPlace = 'API_KEY or API_KEY_FILE',
): string {
  if (error instanceof CredentialsRefusedError)
    return (
      `the platform refuses the credential (HTTP ${error.status}); ${keyPlace} must hold a valid key ` +
      "of a user with the Manager or Owner role, from the application's API key settings"
    );
  if (error instanceof RequestFailedError && unanswered.size > 0)
    return [...Map.groupBy(unanswered, ([, status]) => statusInWords(status))]
      .map(([words, of]) => `requests failed: ${of.map(([endpoint]) => endpoint).join(', ')} (${words})`)
      .join('; ');
  return ownWords(error) || 'see the log for the reason';
}

/** The messages of errors that hold no text of the platform. */
function ownWords(error: unknown): string {
  const sentences: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const isOurs =
      current instanceof ConfigurationError ||
      current instanceof WarehouseError ||
      current instanceof LockHeldError;
    if (isOurs) sentences.push(current.message.replaceAll('\n', '; '));
  }
  return sentences.join(': ');
}
