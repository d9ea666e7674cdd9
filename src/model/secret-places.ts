/** Where secrets stand, and where the hosts stand that would get them: `.env` or the environment. */
import type { GivenSecret } from './secret-variable.ts';

type Given = Readonly<Record<string, string | undefined>>;

/** A secret, and the variables that say who gets it. */
interface Addressed {
  readonly secret: string;
  readonly hosts: readonly string[];
}

/**
 * A secret goes to hosts that were named together with it: whoever may write one of `.env` and the environment must not
 * get the key or the password that stands in the other. `ofFile` names the variables that `.env` set; returns a sentence
 * for each variable that names such a host.
 */
export function problemsOfMixture(
  given: Given,
  database: GivenSecret | undefined,
  ofFile: ReadonlySet<string>,
): string[] {
  return [...addressedKey(given), ...addressedPassword(given, database)].flatMap(({ secret, hosts }) => {
    const [place, other] = ofFile.has(secret) ? ['.env', 'the environment'] : ['the environment', '.env'];
    return hosts
      .filter((name) => ofFile.has(name) !== ofFile.has(secret))
      .map(
        (name) =>
          `${name}: stands in ${other}, but ${secret} in ${place}; ${words(secret)} goes only to hosts that are named where it stands: set both in the environment, or both in .env`,
      );
  });
}

function words(secret: string): string {
  return secret.startsWith('API_KEY') ? 'the key' : 'the password';
}

function addressedKey(given: Given): Addressed[] {
  const key = ['API_KEY', 'API_KEY_FILE'].find((name) => given[name] !== undefined);
  const hosts = ['API_BASE_URL', 'APP_BASE_URL'].filter((name) => given[name] !== undefined);
  return key === undefined ? [] : [{ secret: key, hosts }];
}

/** The password of the database. What the address does not say the driver takes from the variables of libpq. */
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
