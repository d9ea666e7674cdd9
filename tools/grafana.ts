/** Makes the Grafana dashboards: `dashboards/grafana/*.json`. */
import { grafanaFiles } from '../dashboards/grafana/source/files.ts';
import type { Product } from './product.ts';

export const grafana: Product = {
  name: 'grafana',
  whole: ['dashboards/grafana/*.json'],
  files: async () => new Map([...grafanaFiles()].map(([name, text]) => [`dashboards/grafana/${name}`, text])),
};
