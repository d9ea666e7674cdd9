import { createComputerOnce } from '../../src/extract/computer-changes.ts';
import { createComputer } from '../../src/model/platform/computers.ts';
import type { Job } from '../job.ts';
import {
  checked,
  endWith,
  field,
  refuseDots,
  waitingOf,
  withComputers,
  withWaitOptions,
} from './computer-job.ts';

const names = {
  name: '--name',
  provider: '--provider',
  hostId: '--host-id',
  remoteUser: '--remote-user',
  repos: '--repos',
  autoInstallDeps: '--auto-install-deps',
  serviceAccountId: '--service-account-id',
  source: '--template-id',
};

/** Creates a computer. */
export const job: Job = {
  name: 'create',
  organizations: 'one',
  description: 'creates a computer',
  example: 'computers create build-13 --repos https://git.example.com/acme/web --wait',
  needsPlatform: true,
  options: (command) =>
    withWaitOptions(
      command
        .argument('[name]', 'its name, 1 to 63 characters')
        .option('--name <name>', 'its name, instead of the argument')
        .option('--provider <provider>', 'provider: byom or another one of the platform')
        .option('--host-id <uuid>', 'the host that it is on')
        .option('--remote-user <user>', 'the user on it, 1 to 63 characters')
        .option('--repos <url...>', 'repositories to clone, at most 20')
        .option('--auto-install-deps', 'install their dependencies')
        .option('--no-auto-install-deps', 'do not install their dependencies')
        .option('--service-account-id <id>', 'the service account that owns it')
        .option('--template-id <id>', 'the template for it'),
    ),
  prepare(given) {
    const { options, problems } = given;
    const [argument] = given.arguments;
    if (argument !== undefined && options.name !== undefined)
      problems.push('--name: the argument already gives the name; give it once');
    const name = argument ?? options.name;
    if (typeof name === 'string') refuseDots(name, '--name', problems);
    const asked = {
      name: name ?? '',
      ...field('provider', options.provider),
      ...field('hostId', options.hostId),
      ...field('remoteUser', options.remoteUser),
      ...field('repos', options.repos),
      ...field('autoInstallDeps', options.autoInstallDeps),
      ...field('serviceAccountId', options.serviceAccountId),
      ...field(
        'source',
        options.templateId === undefined ? undefined : { kind: 'template', templateId: options.templateId },
      ),
    };
    const body = checked(createComputer, asked, names, problems);
    const waiting = waitingOf(given);
    return (context) =>
      withComputers(context, async (access) => {
        // A wrong command line ends the command before this.
        if (body === undefined) throw new TypeError('expected a checked command line');
        const { outcome: computer, confirmedBy } = await createComputerOnce(
          access.client,
          body,
          access.rules,
        );
        context.log.info({ computer: context.redact(computer.id) }, 'the computer is created');
        return endWith(access, context, { computer, waiting, json: { confirmed_by: confirmedBy } });
      });
  },
};
