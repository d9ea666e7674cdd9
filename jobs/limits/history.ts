import { emailKey } from '../../src/model/email.ts';
import { sanitizeTexts } from '../../src/model/sanitize.ts';
import { onlyOrganization } from '../../src/pipeline/organization/asked-organizations.ts';
import { withWarehouse } from '../../src/pipeline/runs/with-warehouse.ts';
import { describeLimitHistory } from '../../src/reporting/limits-text.ts';
import { withSession } from '../../src/warehouse/connection/connection.ts';
import { readLimitHistory } from '../../src/warehouse/limits/limit-history.ts';
import type { Job } from '../job.ts';

/** Lists the requested changes of credit limits, with their outcomes. */
export const job: Job = {
  name: 'history',
  organizations: 'one',
  description: 'lists changes of credit limits with time and outcome, newest first',
  example: 'limits history --email ada@example.com',
  needsPlatform: false,
  options: (command) => command.option('--email <email>', 'only changes for this person'),
  prepare({ options }) {
    const { email } = options;
    return async (context) => {
      const all = await withWarehouse(context, 'reads', ({ warehouse, config }) =>
        withSession(warehouse.pool, async ({ db }) => {
          if (config.organization === undefined) return readLimitHistory(db);
          const held = await onlyOrganization(db, config, 'limits history');
          return held === undefined ? [] : readLimitHistory(db, held.orgKey);
        }),
      );
      const changes =
        typeof email === 'string' ? all.filter((each) => emailKey(each.email) === emailKey(email)) : all;
      const text = describeLimitHistory(sanitizeTexts(changes, context.redact.namingPersons));
      return { json: { changes }, text, namesPersons: true };
    };
  },
};
