/** Reads the figures of a report from the views, with the queries of `sql/queries/report`. */
import { addDays, type DayRange, daysBetween } from '../model/day.ts';
import { ConfigurationError } from '../model/errors.ts';
import type {
  AutonomyFigures,
  ClientFigures,
  CriterionFigures,
  DayFigures,
  EndpointFigures,
  ModelCredits,
  OrganizationFigures,
  PeriodFigures,
  PeriodUnit,
  PersonFigures,
  RepositoryFigures,
  TeamFigures,
  TopName,
  Totals,
} from '../model/report.ts';
import type { Session } from './connection/connection.ts';
import { readQuery } from './sql-files.ts';

/** A reader cannot tell more bars apart. */
const mostDays = 100;
const mostDaysInWeeks = 700;
/** In fewer days, weeks show no change. */
const fewDays = 21;

/** The ids of all organizations of the warehouse. */
export async function reportedOrganizations({ client }: Session): Promise<string[]> {
  const { rows } = await client.query<{ org_id: string }>(await readQuery('report/organizations'));
  return rows.map(({ org_id }) => org_id);
}

/** Throws `ConfigurationError` if the role of the connection may not read the names of persons. */
export async function refuseWithoutPeople({ client }: Session): Promise<void> {
  const { rows } = await client.query<{ role: string; may_read: boolean }>(
    `select
      quote_ident(current_user) as role,
      has_schema_privilege('bi_people', 'USAGE') and has_table_privilege('bi_people.users', 'SELECT') as may_read`,
  );
  if (rows[0]?.may_read !== true)
    throw new ConfigurationError([
      `--with-people: role ${rows[0]?.role} may not read bi_people.users; grant it usage_people_reader, see SECURITY.md`,
    ]);
}

/** Reads all figures of one organization. Call it in a snapshot, so that the figures agree. */
export async function readReport(
  { client }: Session,
  organization: string,
  range: DayRange,
  withPeople: boolean,
): Promise<OrganizationFigures> {
  const count = daysBetween(range.from, range.to) + 1;
  const rangeBefore = { from: addDays(range.from, -count), to: addDays(range.from, -1) };
  const unit: PeriodUnit = count <= mostDays ? 'day' : count <= mostDaysInWeeks ? 'week' : 'month';
  const unitOfUsers = count <= mostDaysInWeeks ? 'week' : 'month';
  const unitOfMix = count <= fewDays ? 'day' : unitOfUsers;
  async function ask<Row extends object>(name: string, ...more: readonly unknown[]): Promise<Row[]> {
    const { rows } = await client.query<Row>(await readQuery(`report/${name}`), [organization, ...more]);
    return rows;
  }
  const { from, to } = range;
  async function totalsOf(of: DayRange): Promise<Totals> {
    const [totals] = await ask<Totals>('totals', of.from, of.to);
    if (totals === undefined) throw new TypeError('expected one row of totals, got none');
    return totals;
  }
  return {
    organization,
    range,
    rangeBefore,
    unit,
    unitOfUsers,
    unitOfMix,
    totals: await totalsOf(range),
    before: await totalsOf(rangeBefore),
    days: await ask<DayFigures>('days', from, to),
    models: await ask<ModelCredits>('credits_by_model', from, to, unit),
    months: await ask<PeriodFigures>('periods', from, to, 'month'),
    userChanges: await ask<PeriodFigures>('periods', from, to, unitOfUsers),
    clients: await ask<ClientFigures>('clients', from, to, unitOfMix),
    autonomy: await ask<AutonomyFigures>('autonomy', from, to, unitOfMix),
    topTools: await ask<TopName>('top_tools', from, to),
    topServers: await ask<TopName>('top_servers', from, to),
    topLanguages: await ask<TopName>('top_languages', from, to),
    teams: await ask<TeamFigures>('teams', from, to),
    repositories: await ask<RepositoryFigures>('readiness_repositories'),
    criteria: await ask<CriterionFigures>('readiness_criteria'),
    endpoints: await ask<EndpointFigures>('freshness', from, to),
    people: withPeople ? await ask<PersonFigures>('people', from, to) : undefined,
  };
}
