/** Whether others than this user may read the files in which secrets stand. */
import { stat } from 'node:fs/promises';
import { doubtful, type Finding } from '../../model/finding.ts';
import { secretVariables } from '../../model/secret-variable.ts';

const [groupReads, othersRead] = [0o040, 0o004];

/**
 * A warning for each file with secrets that others may read: `.env` where it sets one, and those that variables name.
 * `ofFile` names what `.env` set. A file that cannot be looked at is told of elsewhere.
 */
export async function checkSecretFiles(
  environment: Readonly<Record<string, string | undefined>>,
  ofFile: ReadonlySet<string>,
): Promise<Finding[]> {
  const named = secretVariables.flatMap((variable): [string, string][] => {
    const file = environment[`${variable}_FILE`];
    return file === undefined || file.trim() === '' ? [] : [[`${variable}_FILE`, file]];
  });
  const holdsSecret = [...secretVariables, 'PGPASSWORD'].some((variable) => ofFile.has(variable));
  const files: [string, string][] = holdsSecret ? [['.env', '.env'], ...named] : named;
  const findings = await Promise.all(files.map(([name, file]) => checkSecretFile(name, file)));
  return findings.flat();
}

async function checkSecretFile(name: string, file: string): Promise<Finding[]> {
  const status = await stat(file).catch(() => undefined);
  if (status === undefined) return [];
  // Of a file that belongs to somebody else, the group is how this user reads it.
  const isOwn = status.uid === process.geteuid?.();
  if ((status.mode & (isOwn ? groupReads | othersRead : othersRead)) === 0) return [];
  return [
    doubtful(name, `holds a secret, and others may read ${file}`, `chmod ${isOwn ? '600' : 'o='} ${file}`),
  ];
}
