import { installDependenciesOnce } from '../../src/extract/computer-changes.ts';
import { findComputer } from '../../src/extract/find-computer.ts';
import type { Job } from '../job.ts';
import { endWith, nameOrId, waitingOf, withComputers, withWaitOptions } from './computer-job.ts';

/** Makes the platform run the install step of a computer again. */
export const job: Job = {
  name: 'install-deps',
  organizations: 'one',
  description: 'repeats the install step of a computer',
  example: 'computers install-deps build-01 --wait',
  needsPlatform: true,
  options: (command) => withWaitOptions(command.argument('<name|id>', 'which computer')),
  prepare(given) {
    const [wanted, waiting] = [nameOrId(given), waitingOf(given)];
    return (context) =>
      withComputers(context, async (access) => {
        const { computer: before, foundBy } = await findComputer(access.client, wanted);
        const begun = await installDependenciesOnce(access.client, before, access.rules);
        return endWith(access, context, {
          computer: begun.outcome,
          before,
          waiting,
          json: { found_by: foundBy, confirmed_by: begun.confirmedBy },
        });
      });
  },
};
