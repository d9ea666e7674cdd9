/** The figures of a usage report, as the views give them: exact decimal text, null for unknown figures. */
import type { Day, DayRange } from './day.ts';

/** An exact decimal number as text; null: not reported. */
export type Exact = string | null;

/** Length of a chart's period. */
export type PeriodUnit = 'day' | 'week' | 'month';

/** Usage and work in one period. */
interface Work {
  readonly credits: Exact;
  readonly sessions: Exact;
  readonly messages: Exact;
  readonly tool_calls: Exact;
  readonly files_changed: Exact;
  readonly git_commits: Exact;
  readonly git_prs_created: Exact;
}

/** Sums over a range of days. */
export interface Totals extends Work {
  /** Distinct users with an active day. */
  readonly active_users: Exact;
  readonly cost: Exact;
  readonly currency: string | null;
  readonly unpriced_credits: Exact;
  /** Whether any figure is known. */
  readonly has_any: boolean;
  /** Number of days with missing data. */
  readonly missing_days: number;
}

/** Figures of one day; null when not reported. */
export interface DayFigures extends Work {
  readonly usage_date: Day;
  /** 1 = Monday. */
  readonly day_of_week: number;
  readonly week_start: Day;
  readonly daily_active_users: Exact;
  readonly weekly_active_users: Exact;
  readonly monthly_active_users: Exact;
  readonly stickiness: Exact;
}

/** Credits of one model in one period. `period` is its first day. */
export interface ModelCredits {
  readonly period: Day;
  readonly model_id: string;
  readonly model_tier: string;
  readonly credits: Exact;
}

/** A whole calendar week or month, even when the range cuts it. */
export interface PeriodFigures extends Omit<Work, 'messages' | 'files_changed'> {
  readonly period: Day;
  readonly active_users: Exact;
  readonly new_users: Exact;
  readonly returning_users: Exact;
  readonly stopped_users: Exact;
  /** Credits of the whole current month if its pace so far continues; null for weeks and past months. */
  readonly run_rate_credits: Exact;
  readonly is_complete: boolean;
}

/** Users of a client on the busiest day of a period. */
export interface ClientFigures {
  readonly period: Day;
  readonly client_type: string;
  readonly description: string | null;
  readonly busiest_day: Exact;
}

/** Share of tool calls at an autonomy level; `period` null: over all days. */
export interface AutonomyFigures {
  readonly period: Day | null;
  readonly autonomy_level: string;
  readonly description: string | null;
  readonly share: Exact;
}

/** A row of a list of the most frequent names. */
export interface TopName {
  readonly name: string;
  readonly count: Exact;
  readonly count_of_all: Exact;
  /** Number of different names, also those that are not in the list. */
  readonly names: number;
}

/** Usage of a team over the range; with `team` null, usage of all teams on `usage_date`. */
export interface TeamFigures {
  readonly usage_date: Day | null;
  readonly team: string | null;
  readonly busiest_day: Exact;
  readonly credits: Exact;
  readonly cost: Exact;
  readonly currency: string | null;
  readonly unpriced_credits: Exact;
}

/** Readiness of a repository by its newest report. */
export interface RepositoryFigures {
  readonly repo_url: string;
  readonly owner: string | null;
  readonly name: string | null;
  readonly reported_on: string | null;
  readonly score: Exact;
  readonly score_change: Exact;
  readonly is_listed: boolean;
}

/** Repositories that pass a criterion. */
export interface CriterionFigures {
  readonly criterion_id: string;
  readonly repositories: Exact;
  readonly passing: Exact;
  readonly passing_share: Exact;
}

/** Coverage of an endpoint. */
export interface EndpointFigures {
  readonly endpoint: string;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
  /** Counted within the range of the report. */
  readonly days_missing: Exact;
  readonly rows_rejected: Exact;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  readonly last_loaded_at: string | null;
}

/** One of the users with the most credits. Personal data. */
export interface PersonFigures extends Pick<Work, 'credits' | 'sessions' | 'git_commits'> {
  readonly user_id: string;
  readonly user_email: string | null;
  readonly team: string | null;
  readonly active_days: Exact;
}

/** All figures of one organization. */
export interface OrganizationFigures {
  readonly organization: string;
  readonly range: DayRange;
  /** The days right before the range, as many as the range has. */
  readonly rangeBefore: DayRange;
  /** Period of bar charts. */
  readonly unit: PeriodUnit;
  /** Period of new, returning and stopped users. */
  readonly unitOfUsers: 'week' | 'month';
  /** Period of clients and autonomy, which vary too much from day to day. */
  readonly unitOfMix: 'day' | 'week' | 'month';
  readonly totals: Totals;
  readonly before: Totals;
  readonly days: readonly DayFigures[];
  readonly models: readonly ModelCredits[];
  readonly months: readonly PeriodFigures[];
  readonly userChanges: readonly PeriodFigures[];
  readonly clients: readonly ClientFigures[];
  readonly autonomy: readonly AutonomyFigures[];
  readonly topTools: readonly TopName[];
  readonly topServers: readonly TopName[];
  readonly topLanguages: readonly TopName[];
  readonly teams: readonly TeamFigures[];
  readonly repositories: readonly RepositoryFigures[];
  readonly criteria: readonly CriterionFigures[];
  readonly endpoints: readonly EndpointFigures[];
  /** The users with the most credits; undefined without `--with-people`. */
  readonly people: readonly PersonFigures[] | undefined;
}

/** The figures of a whole report. */
export interface ReportFigures {
  readonly range: DayRange;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  readonly madeAt: string;
  readonly appVersion: string;
  readonly organizations: readonly OrganizationFigures[];
}
