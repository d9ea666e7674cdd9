/** What a command says of its run; all else is the same for every run. */
import type { SourceState } from '../../model/run-report.ts';

/** What distinguishes the run of one command from that of another, beside its work. */
export interface RunJob {
  /** As the run ledger names it. */
  readonly name: string;
  /** Its arguments, without secrets, for the run ledger. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the summary says of sources until something comes from them; undefined: it says nothing of them. */
  readonly sourceStates?: Readonly<Record<string, SourceState>>;
  /** Whether a bar on the terminal follows its slices; where steps are few and quick, it would only flicker. */
  readonly showsBar?: boolean;
}
