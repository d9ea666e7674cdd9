import { findComputer } from '../../src/extract/find-computer.ts';
import type { Job } from '../job.ts';
import { endWith, nameOrId, waitingOf, withComputers, withWaitOptions } from './computer-job.ts';

/** Shows one computer. */
export const job: Job = {
  name: 'show',
  organizations: 'one',
  description: 'shows a computer: the one with this id, else the one with this name',
  example: 'computers show build-01 --wait',
  needsPlatform: true,
  options: (command) => withWaitOptions(command.argument('<name|id>', 'which computer')),
  prepare(given) {
    const [wanted, waiting] = [nameOrId(given), waitingOf(given)];
    return (context) =>
      withComputers(context, async (access) => {
        const { computer, foundBy } = await findComputer(access.client, wanted);
        const result = await endWith(access, context, { computer, waiting, json: { found_by: foundBy } });
        return { ...result, text: `Found by its ${foundBy}.\n${result.text}` };
      });
  },
};
