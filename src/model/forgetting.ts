/** Whom `forget-user` means, and what it did. */

/** A user who is forgotten. */
export interface ForgottenUser {
  readonly organizationId: string;
  readonly userId: string;
  /** Addresses of the user that others have or had, too: they stay theirs. */
  readonly shared: readonly string[];
}

/** How many users these are: a user id is one, of however many organizations. */
export function countUsers(users: readonly ForgottenUser[]): number {
  return new Set(users.map(({ userId }) => userId)).size;
}

/** What came of it. */
export interface ForgetReport {
  readonly runId: number;
  /** `nothing_to_do`: the name was forgotten before. `nobody_known`: nobody had it, and whoever comes with it will be forgotten. */
  readonly outcome: 'forgotten' | 'nobody_known' | 'nothing_to_do';
  /** Whom the name meant, in all organizations. */
  readonly users: readonly ForgottenUser[];
  /** Rows of tables that were rewritten. */
  readonly rows: number;
  /** Chunks of the raw archive that were rewritten. */
  readonly chunks: number;
  /** Organizations that others are at work on: their run does the same when it ends. */
  readonly organizationsLeft: number;
  /** What stopped it; undefined when it came to its end. */
  readonly stoppedBy: unknown;
}
