/** Findings of `doctor`: a check, its result and the next step. */
import { ConfigurationError, explain } from './errors.ts';

/** Result of a check: a run stops on a failure, not on a warning. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** One check. */
export interface Finding {
  /** The checked variable or thing. */
  readonly name: string;
  readonly status: FindingStatus;
  readonly detail: string;
  /** The next step; null when there is none. */
  readonly next: string | null;
}

/** A check that passed. */
export function good(name: string, detail: string): Finding {
  return { name, status: 'ok', detail, next: null };
}

/** A check with a warning: runs succeed, but somebody should know. */
export function doubtful(name: string, detail: string, next: string): Finding {
  return { name, status: 'warning', detail, next };
}

/** A check that failed: a run would fail, too. */
export function wrong(name: string, detail: string, next: string): Finding {
  return { name, status: 'failed', detail, next };
}

/** A check that was skipped. */
export function unchecked(name: string, reason: string): Finding {
  return { name, status: 'skipped', detail: reason, next: null };
}

/** A check that was skipped because of an earlier finding, which says why. */
export function uncheckedBecause(name: string, cause: string): Finding {
  return unchecked(name, `see ${cause} above`);
}

/**
 * Makes a finding from the sentence of a problem. The sentence begins with a variable's name, and may give the next
 * step after a semicolon. `name` replaces the variable's name; `next` is the next step if the sentence gives none.
 */
export function wrongAsSaid(problem: string, next: string, name?: string): Finding {
  const [, variables = 'settings', sentence = problem] =
    /^([A-Z][A-Za-z_, ]*|\.env): (.*)$/s.exec(problem) ?? [];
  const [detail = '', ...advice] = sentence.split('; ');
  return wrong(name ?? variables, detail, advice.length === 0 ? next : advice.join('; '));
}

/** An error as findings: one for each problem of a `ConfigurationError`. */
export function findingsOf(error: unknown, name: string, next: string): Finding[] {
  const problems = error instanceof ConfigurationError ? error.problems : [explain(error)];
  return problems.map((problem) => wrongAsSaid(problem, next, name));
}
