/** An installation with one organization, files for imports, and the rows that an import leaves in the warehouse. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { type Installation, install, organization } from './installation.ts';

/** How an import ended. */
export interface Imported {
  readonly code: number | null;
  /** The JSON that the import printed. */
  readonly told: unknown;
  /** The messages of the import on standard error, without the name of the file. */
  readonly stderr: string;
}

/** Opens an installation for imports; dispose of it in the end. */
export async function installForImports({ users = 0 } = {}) {
  const installation = await install({ users });
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-imports-'));
  const imports = {
    installation,
    addOrganization: (organizationId: string) => addOrganization(installation, organizationId),
    async addUser(userId: string, email: string | null, orgKey = 1): Promise<void> {
      await installation.database.pool.query(
        'insert into warehouse.dim_user (org_key, user_id, user_email) values ($1, $2, $3)',
        [orgKey, userId, email],
      );
    },
    /** Imports a file that has these lines. */
    async importLines(
      kind: 'people' | 'prices',
      lines: readonly string[] | Buffer,
      environment: Readonly<Record<string, string>> = {},
    ): Promise<Imported> {
      const file = join(folder, 'file.csv');
      await writeFile(file, Buffer.isBuffer(lines) ? lines : lines.join('\n'));
      const { code, stdout, stderr } = await installation.run(`${kind} import ${file} --json`, environment);
      return { code, told: JSON.parse(stdout), stderr: stderr.replaceAll(`${file}: `, '') };
    },
    /** The rows of a query as texts: the values with `|` between them; null is empty. */
    async rows(query: string): Promise<string[]> {
      const { rows } = await installation.database.pool.query<Record<string, string | null>>(query);
      return rows.map((row) => Object.values(row).join('|'));
    },
    async [Symbol.asyncDispose]() {
      await installation[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
  await imports.addOrganization(organization);
  return imports;
}

async function addOrganization({ database }: Installation, organizationId: string): Promise<number> {
  const pool = openPool(database.url, 1);
  try {
    return await withSession(pool, ({ db }) => organizationKey(db, organizationId));
  } finally {
    await pool.end();
  }
}

/** The expected end of an import that succeeded, with its numbers of changed rows. */
export const changes = (inserted: number, updated: number, deleted: number) => ({
  code: 0,
  told: { status: 'succeeded', rows: { inserted, updated, deleted } },
});
