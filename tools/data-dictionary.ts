/** Makes the data dictionary from the migrated database and the catalog of measures. */
import { measureOf } from '../src/model/measures.ts';
import type { Product } from './product.ts';
import { readRelations } from './relations.ts';

export const dataDictionary: Product = {
  name: 'dictionary',
  async files({ empty }) {
    const views = await readRelations(await empty(), ['bi', 'bi_people']);
    const parts = views.map(({ schema, name: view, comment, columns }) =>
      [
        `## ${schema}.${view}`,
        comment,
        [
          '| column | type | meaning | over days |',
          '|---|---|---|---|',
          ...columns.map(
            ({ name, type, comment }) =>
              `| \`${name}\` | ${type} | ${comment.replaceAll('|', '\\|')} | ${measureOf(view, name)?.overDays ?? ''} |`,
          ),
        ].join('\n'),
      ].join('\n\n'),
    );
    const text = [
      '# Data dictionary',
      'Generated from the comments of the views by `npm run dictionary`: do not edit. *Over days* tells how values of several days become one: `sum` adds them, `last` takes the last day, `max` the highest; `never`: they cannot be combined.',
      ...parts,
    ].join('\n\n');
    return new Map([['docs/data-dictionary.md', `${text}\n`]]);
  },
};
