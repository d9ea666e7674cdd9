import { updateComputerOnce } from '../../src/extract/computer-changes.ts';
import { findComputer } from '../../src/extract/find-computer.ts';
import { updateComputer } from '../../src/model/platform/computers.ts';
import type { Job } from '../job.ts';
import {
  checked,
  endWith,
  field,
  nameOrId,
  refuseDots,
  waitingOf,
  withComputers,
  withWaitOptions,
} from './computer-job.ts';

const names = { name: '--name', hostId: '--host-id', remoteUser: '--remote-user' };

/** Changes a computer. */
export const job: Job = {
  name: 'update',
  organizations: 'one',
  description: 'changes the name, host or user of a computer; other fields stay',
  example: 'computers update build-01 --name web-01',
  needsPlatform: true,
  options: (command) =>
    withWaitOptions(
      command
        .argument('<name|id>', 'which computer')
        .option('--name <name>', 'its new name, 1 to 63 characters')
        .option('--host-id <uuid>', 'the host that it is on')
        .option('--remote-user <user>', 'the user on it, 1 to 63 characters'),
    ),
  prepare(given) {
    const { options, problems } = given;
    const wanted = nameOrId(given);
    const asked = {
      ...field('name', options.name),
      ...field('hostId', options.hostId),
      ...field('remoteUser', options.remoteUser),
    };
    if (Object.keys(asked).length === 0)
      problems.push(`expected what is to be changed: ${Object.values(names).join(', ')}`);
    if (typeof options.name === 'string') refuseDots(options.name, '--name', problems);
    const body = checked(updateComputer, asked, names, problems);
    const waiting = waitingOf(given);
    return (context) =>
      withComputers(context, async (access) => {
        const { computer: before, foundBy } = await findComputer(access.client, wanted);
        const changed = await updateComputerOnce(access.client, before, body ?? {}, access.rules);
        return endWith(access, context, {
          computer: changed.outcome,
          waiting,
          json: { found_by: foundBy, confirmed_by: changed.confirmedBy },
        });
      });
  },
};
