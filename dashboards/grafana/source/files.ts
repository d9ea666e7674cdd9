/** The Grafana dashboards as files, by name below `dashboards/grafana`. */
import { adoption } from './dashboards/adoption.ts';
import { cost } from './dashboards/cost.ts';
import { dataHealth } from './dashboards/data-health.ts';
import { overview } from './dashboards/overview.ts';

/** The text of each file. */
export function grafanaFiles(): Map<string, string> {
  return new Map(
    Object.entries({ overview, cost, adoption, 'data-health': dataHealth }).map(([name, builder]) => [
      `${name}.json`,
      `${JSON.stringify(builder.build(), null, 2)}\n`,
    ]),
  );
}
