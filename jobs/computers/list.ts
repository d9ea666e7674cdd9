import { computersQuery } from '../../src/model/platform/computers.ts';
import { sanitizeTexts } from '../../src/model/sanitize.ts';
import { describeComputers } from '../../src/reporting/computers-text.ts';
import type { Job } from '../job.ts';
import { checked, field, withComputers } from './computer-job.ts';

/** Lists the computers of the organization. */
export const job: Job = {
  name: 'list',
  organizations: 'one',
  description: 'lists the computers of the organization',
  example: 'computers list',
  needsPlatform: true,
  options: (command) =>
    command
      .option('--host-id <uuid>', 'only computers on this host')
      .option('--steps', 'with provisioning steps in the output of --json'),
  prepare({ options, problems }) {
    const asked = {
      ...field('hostId', options.hostId),
      ...field('includeProvisioningSteps', options.steps === true ? 'true' : undefined),
    };
    const query = checked(computersQuery, asked, { hostId: '--host-id' }, problems);
    return (context) =>
      withComputers(context, async ({ client }) => {
        const computers = await client.list(query);
        return { json: { computers }, text: describeComputers(sanitizeTexts(computers, context.redact)) };
      });
  },
};
