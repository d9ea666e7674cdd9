/** A Python environment for each peer, with the packages that its `requirements.txt` pins. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../program.ts';
import { fileOf, type Peer } from './contestants.ts';

/** Kept between runs; `npm ci` removes them. */
const environments = fileURLToPath(new URL('../../node_modules/.cache/peers', import.meta.url));

/** Makes the environment, or brings it up to date, and returns its folder. Throws where that is not possible. */
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

/** All of it: where a machine has an index, a proxy or certificates of its own, pip is told so by variables. */
function pipEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
}
