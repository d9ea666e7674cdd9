/** The properties of a run that depend on the command. */
import type { SourceState } from '../../model/run-report.ts';

/** The run of a command, without its work. */
export interface RunJob {
  /** Its name in the run ledger. */
  readonly name: string;
  /** Its arguments, without secrets, for the run ledger. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The states of sources in the summary before their first slice; undefined leaves sources out of the summary. */
  readonly sourceStates?: Readonly<Record<string, SourceState>>;
  /** Whether the terminal shows a progress bar. With few and quick steps it would only flicker. */
  readonly showsBar?: boolean;
}
