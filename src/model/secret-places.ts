/** Checks that a secret and the hosts that receive it come from the same place: `.env` or the environment. */
import type { GivenSecret } from './secret-variable.ts';

type Given = Readonly<Record<string, string | undefined>>;

/** The variable of a secret, and the variables that name the hosts to which the secret is sent. */
interface Addressed {
  readonly secret: string;
  readonly hosts: readonly string[];
}

/**
 * Finds secrets that would go to a host from another place: whoever writes `.env` could otherwise send a key of the
 * environment to another host, or the other way round. `ofFile` names the variables of `.env`. Returns a sentence for
 * each variable that names such a host.
 */
export function problemsOfMixture(
  given: Given,
  database: GivenSecret | undefined,
  ofFile: ReadonlySet<string>,
): string[] {
  return [...addressedKey(given), ...addressedPassword(given, database)].flatMap(({ secret, hosts }) =>
    hosts.flatMap((name) => problemOfMixture(name, secret, ofFile) ?? []),
  );
}

/** A sentence if the variable `name`, which decides where a secret goes, is not set in the same place as the secret. */
export function problemOfMixture(
  name: string,
  secret: string,
  ofFile: ReadonlySet<string>,
): string | undefined {
  if (ofFile.has(name) === ofFile.has(secret)) return undefined;
  const [place, other] = ofFile.has(secret) ? ['.env', 'the environment'] : ['the environment', '.env'];
  return `${name}: is set in ${other}, but ${secret} in ${place}; ${words(secret)} is sent only to hosts that are set in the same place: set both in the environment, or both in .env`;
}

function words(secret: string): string {
  return /^(?:DATABASE_URL|PGPASSWORD)/.test(secret) ? 'the password' : 'the key';
}

function addressedKey(given: Given): Addressed[] {
  const key = ['API_KEY', 'API_KEY_FILE'].find((name) => given[name] !== undefined);
  const hosts = ['API_BASE_URL', 'APP_BASE_URL'].filter((name) => given[name] !== undefined);
  return key === undefined ? [] : [{ secret: key, hosts }];
}

/** The database password and its hosts. The driver takes missing parts of the address from libpq's variables. */
function addressedPassword(given: Given, database: GivenSecret | undefined): Addressed[] {
  if (database === undefined || !URL.canParse(database.text)) return [];
  const { hostname, port, password, searchParams } = new URL(database.text);
  const namedBy = (inUrl: string, parameter: string, variable: string) =>
    inUrl !== '' || searchParams.get(parameter) || given[variable] === undefined
      ? database.variable
      : variable;
  const isInUrl = password !== '' || Boolean(searchParams.get('password'));
  if (!isInUrl && given.PGPASSWORD === undefined) return [];
  const hosts = new Set([namedBy(hostname, 'host', 'PGHOST'), namedBy(port, 'port', 'PGPORT')]);
  return [{ secret: isInUrl ? database.variable : 'PGPASSWORD', hosts: [...hosts] }];
}
