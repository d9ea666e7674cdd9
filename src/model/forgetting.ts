/** The result of `forget-user`. */

/** A user whom the name means. */
export interface ForgottenUser {
  readonly organizationId: string;
  readonly userId: string;
  /** Addresses that the user shares or shared with others. They stay in the rows of the others. */
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
   * `nothing_to_do`: the name was forgotten before. `nobody_known`: nobody has it so far; a user who comes with it later is
   * forgotten then.
   */
  readonly outcome: 'forgotten' | 'nobody_known' | 'nothing_to_do';
  /** The users whom the name means, in all organizations. */
  readonly users: readonly ForgottenUser[];
  /** Rows of tables that were rewritten. */
  readonly rows: number;
  /** Chunks of the raw archive that were rewritten. */
  readonly chunks: number;
  /** Organizations on which another run is working: that run does the same when it ends. */
  readonly organizationsLeft: number;
  /** The error that stopped it; undefined when it finished. */
  readonly stoppedBy: unknown;
}
