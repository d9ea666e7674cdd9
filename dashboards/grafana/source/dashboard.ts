/** Common parts of all dashboards: the database, the organizations, and a range of whole UTC days. */
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { source } from './panels.ts';

/** The select for the choice of organizations. */
export const organizations = 'select distinct org_id from bi.data_freshness order by org_id';

/** A dashboard without its panels. `uid` is its address in every Grafana: never change it. */
export function dashboard(
  uid: string,
  title: string,
  description: string,
  panels: readonly Builder<Panel>[],
): DashboardBuilder {
  const built = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['usage-etl'])
    .timezone('utc')
    .weekStart('monday')
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    // Yesterday is the last whole day; both ends are whole days.
    .time({ from: 'now-90d/d', to: 'now-1d/d' })
    .refresh('')
    .withVariable(new DatasourceVariableBuilder('source').label('Database').type(source.type))
    .withVariable(
      new QueryVariableBuilder('org')
        .label('Organization')
        .datasource(source)
        .query(organizations)
        .refresh(VariableRefresh.OnDashboardLoad)
        .sort(VariableSort.AlphabeticalAsc)
        .multi(true)
        .includeAll(true)
        .current({ selected: true, text: 'All', value: '$__all' }),
    )
    .link(
      new DashboardLinkBuilder('Usage')
        .type(DashboardLinkType.Dashboards)
        .tags(['usage-etl'])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true),
    );
  for (const panel of panels) built.withPanel(panel);
  return built;
}
