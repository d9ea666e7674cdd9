/** The result of `forget-user`. */

/** A user whom the name means. */
export interface ForgottenUser {
  readonly organizationId: string;
  readonly userId: string;
  /** Addresses that other users have or had, too. They stay in the rows of those users. */
  readonly shared: readonly string[];
}

/** The number of users. A user id counts once, in however many organizations it occurs. */
export function countUsers(users: readonly ForgottenUser[]): number {
  return new Set(users.map(({ userId }) => userId)).size;
}

/** What `forget-user` did. */
export interface ForgetReport {
  readonly runId: number;
  /**
   * `nothing_to_do`: the name was forgotten before. `nobody_known`: nobody in the warehouse has the name; a user who comes
   * with it later is forgotten then.
   */
  readonly outcome: 'forgotten' | 'nobody_known' | 'nothing_to_do';
  /** The users whom the name means, in all organizations. */
  readonly users: readonly ForgottenUser[];
  /** Rows of tables that were rewritten. */
  readonly rows: number;
  /** Chunks of the raw archive that were rewritten. */
  readonly chunks: number;
  /** Organizations that another run is loading: that run removes the persons from them when it ends. */
  readonly organizationsLeft: number;
  /** The error that stopped the command; undefined when it finished. */
  readonly stoppedBy: unknown;
}
