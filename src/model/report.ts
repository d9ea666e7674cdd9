/** What a report shows: figures as the views give them. Exact decimal text, null for what is not known. */
import type { Day, DayRange } from './day.ts';

/** An exact decimal number as text; null: not reported. */
export type Exact = string | null;

/** How long a period of a chart is. */
export type PeriodUnit = 'day' | 'week' | 'month';

/** Sums over a range of days. */
export interface Totals {
  readonly credits: Exact;
  readonly sessions: Exact;
  readonly messages: Exact;
  readonly tool_calls: Exact;
  readonly files_changed: Exact;
  readonly git_commits: Exact;
  readonly git_prs_created: Exact;
  /** Distinct users with an active day. */
  readonly active_users: Exact;
  readonly cost: Exact;
  readonly currency: string | null;
  readonly unpriced_credits: Exact;
  /** Whether any figure of any day is known. */
  readonly has_any: boolean;
  /** Days that are not held whole. */
  readonly missing_days: number;
}

/** What happened on one day; figures that nobody reported are null. */
export interface DayFigures {
  readonly usage_date: Day;
  /** 1 = Monday. */
  readonly day_of_week: number;
  readonly week_start: Day;
  readonly credits: Exact;
  readonly daily_active_users: Exact;
  readonly weekly_active_users: Exact;
  readonly monthly_active_users: Exact;
  readonly stickiness: Exact;
  readonly sessions: Exact;
  readonly messages: Exact;
  readonly tool_calls: Exact;
  readonly files_changed: Exact;
  readonly git_commits: Exact;
  readonly git_prs_created: Exact;
}

/** Credits of one model in one period, which its first day names. */
export interface ModelCredits {
  readonly period: Day;
  readonly model_id: string;
  readonly model_tier: string;
  readonly credits: Exact;
}

/** A whole calendar week or month, also where the range cuts it. */
export interface PeriodFigures {
  readonly period: Day;
  readonly active_users: Exact;
  readonly new_users: Exact;
  readonly returning_users: Exact;
  readonly stopped_users: Exact;
  readonly credits: Exact;
  /** What the month comes to if it goes on like this; null for a week, and for a month that is over. */
  readonly run_rate_credits: Exact;
  readonly sessions: Exact;
  readonly tool_calls: Exact;
  readonly git_commits: Exact;
  readonly git_prs_created: Exact;
  readonly is_complete: boolean;
}

/** Users of a client on the busiest day of a period. */
export interface ClientFigures {
  readonly period: Day;
  readonly client_type: string;
  readonly description: string | null;
  readonly busiest_day: Exact;
}

/** Share of tool calls with a level of autonomy; without a period: in all days. */
export interface AutonomyFigures {
  readonly period: Day | null;
  readonly autonomy_level: string;
  readonly description: string | null;
  readonly share: Exact;
}

/** One of the names that were counted most. */
export interface TopName {
  readonly name: string;
  readonly count: Exact;
  readonly count_of_all: Exact;
  /** How many names there are. */
  readonly names: number;
}

/** What a team used; or, without a team, what all of them used on a day. */
export interface TeamFigures {
  readonly usage_date: Day | null;
  readonly team: string | null;
  readonly busiest_day: Exact;
  readonly credits: Exact;
  readonly cost: Exact;
  readonly currency: string | null;
  readonly unpriced_credits: Exact;
}

/** How ready a repository is, by its newest report. */
export interface RepositoryFigures {
  readonly repo_url: string;
  readonly owner: string | null;
  readonly name: string | null;
  readonly reported_on: string | null;
  readonly score: Exact;
  readonly score_change: Exact;
  readonly is_listed: boolean;
}

/** How many repositories pass a criterion. */
export interface CriterionFigures {
  readonly criterion_id: string;
  readonly repositories: Exact;
  readonly passing: Exact;
  readonly passing_share: Exact;
}

/** How far the data of an endpoint reaches. */
export interface EndpointFigures {
  readonly endpoint: string;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
  /** Within the range. */
  readonly days_missing: Exact;
  readonly rows_rejected: Exact;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  readonly last_loaded_at: string | null;
}

/** One of those who used most credits. Names a person. */
export interface PersonFigures {
  readonly user_id: string;
  readonly user_email: string | null;
  readonly team: string | null;
  readonly credits: Exact;
  readonly active_days: Exact;
  readonly sessions: Exact;
  readonly git_commits: Exact;
}

/** All figures of one organization. */
export interface OrganizationFigures {
  readonly organization: string;
  readonly range: DayRange;
  /** As many days, right before the range. */
  readonly rangeBefore: DayRange;
  /** How long the periods of charts are that have a bar for each. */
  readonly unit: PeriodUnit;
  /** The same, of those who come and go, who are not counted by days. */
  readonly unitOfUsers: 'week' | 'month';
  /** The same, of clients and autonomy, which differ too much from day to day. */
  readonly unitOfMix: 'day' | 'week' | 'month';
  readonly totals: Totals;
  readonly before: Totals;
  readonly days: readonly DayFigures[];
  readonly models: readonly ModelCredits[];
  readonly months: readonly PeriodFigures[];
  readonly comings: readonly PeriodFigures[];
  readonly clients: readonly ClientFigures[];
  readonly autonomy: readonly AutonomyFigures[];
  readonly topTools: readonly TopName[];
  readonly topServers: readonly TopName[];
  readonly topLanguages: readonly TopName[];
  readonly teams: readonly TeamFigures[];
  readonly repositories: readonly RepositoryFigures[];
  readonly criteria: readonly CriterionFigures[];
  readonly endpoints: readonly EndpointFigures[];
  /** Undefined where persons are not to be named. */
  readonly people: readonly PersonFigures[] | undefined;
}

/** What a page is made of. */
export interface ReportFigures {
  readonly range: DayRange;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  readonly madeAt: string;
  readonly appVersion: string;
  readonly organizations: readonly OrganizationFigures[];
}
