/** Checks that only this user may read the files with secrets. */
import { stat } from 'node:fs/promises';
import { doubtful, type Finding } from '../../model/finding.ts';
import { secretVariables } from '../../model/secret-variable.ts';

const [groupReads, othersRead] = [0o040, 0o004];

/**
 * A warning for each file with secrets that other users may read: `.env` if it sets a secret, and the files that
 * variables name. `ofFile` has the variables that `.env` set. Another check reports files that cannot be read.
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

/** A warning if other users may read the file; empty if they may not, or if it cannot be read. */
export async function checkSecretFile(name: string, file: string): Promise<Finding[]> {
  const status = await stat(file).catch(() => undefined);
  if (status === undefined) return [];
  // This user reads a file of another user by its group, so the group may keep that right.
  const isOwn = status.uid === process.geteuid?.();
  if ((status.mode & (isOwn ? groupReads | othersRead : othersRead)) === 0) return [];
  return [
    doubtful(name, `holds a secret, and others may read ${file}`, `chmod ${isOwn ? '600' : 'o='} ${file}`),
  ];
}
