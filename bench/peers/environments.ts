/** A Python environment for each peer, with the packages of its `requirements.txt`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../program.ts';
import { fileOf, type Peer } from './contestants.ts';

/** The folder of the environments. They stay from run to run; `npm ci` removes them. */
const environments = fileURLToPath(new URL('../../node_modules/.cache/peers', import.meta.url));

/** Creates or updates the environment and returns its folder. Throws when that fails. */
export async function installPeer({ folder }: Peer): Promise<string> {
  const environment = join(environments, folder);
  await run('python3', ['-m', 'venv', environment]);
  const requirements = fileOf(`${folder}/requirements.txt`);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--requirement',
    requirements,
  ];
  await run(join(environment, 'bin/python'), pip, pipEnvironment());
  return environment;
}

/** The variables for pip: all that are set here, because some may name an index, a proxy or certificates. */
function pipEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
}
