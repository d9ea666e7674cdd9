/** What `doctor` finds: one check, what came of it, and what to do. */
import { ConfigurationError, explain } from './errors.ts';

/** What came of a check: a warning stops no run, a failure does. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** One check. */
export interface Finding {
  /** A variable, or the thing that was looked at. */
  readonly name: string;
  readonly status: FindingStatus;
  readonly detail: string;
  /** What to do next; null where nothing is to be done. */
  readonly next: string | null;
}

/** A check that found all well. */
export function good(name: string, detail: string): Finding {
  return { name, status: 'ok', detail, next: null };
}

/** A check that found what no run stumbles over, but somebody should know. */
export function doubtful(name: string, detail: string, next: string): Finding {
  return { name, status: 'warning', detail, next };
}

/** A check that found what a run would fail at. */
export function wrong(name: string, detail: string, next: string): Finding {
  return { name, status: 'failed', detail, next };
}

/** A check that could not be made, or need not be. */
export function unchecked(name: string, reason: string): Finding {
  return { name, status: 'skipped', detail: reason, next: null };
}

/**
 * The sentence of a problem as a finding. Problems begin with the name of a variable and may say after a semicolon what
 * to do; `name` takes the place of the former, `next` stands in for the latter.
 */
export function wrongAsSaid(problem: string, next: string, name?: string): Finding {
  const [, variables = 'settings', sentence = problem] =
    /^([A-Z][A-Za-z_, ]*|\.env): (.*)$/s.exec(problem) ?? [];
  const [detail = '', ...advice] = sentence.split('; ');
  return wrong(name ?? variables, detail, advice.length === 0 ? next : advice.join('; '));
}

/** What an error says as findings: each problem of a configuration is one. */
export function findingsOf(error: unknown, name: string, next: string): Finding[] {
  const problems = error instanceof ConfigurationError ? error.problems : [explain(error)];
  return problems.map((problem) => wrongAsSaid(problem, next, name));
}
