/** Host, owner and name that the database makes of the address of a repository. */
import { beforeAll, expect, test } from 'vitest';
import { sharedTestDatabase } from '../support/database.ts';

const database = await sharedTestDatabase();

beforeAll(async () => {
  await database.pool.query("insert into warehouse.dim_org (org_id) values ('org_test')");
});

async function partsOf(address: string): Promise<unknown[]> {
  const { rows } = await database.pool.query<unknown[]>({
    text: `insert into warehouse.dim_repository (org_key, repo_url)
      select org_key, $1 from warehouse.dim_org returning repo_url, host, owner, name`,
    values: [address],
    rowMode: 'array',
  });
  const [repoUrl, ...parts] = rows[0] ?? [];
  expect(repoUrl).toBe(address);
  return parts;
}

test.each([
  ['https://git.example.com/acme/web', 'git.example.com', 'acme', 'web'],
  ['https://Git.Example.com/Acme/Web.git', 'git.example.com', 'Acme', 'Web'],
  ['https://git.example.com/acme/web/', 'git.example.com', 'acme', 'web'],
  ['https://git.example.com:8443/acme/web.git', 'git.example.com', 'acme', 'web'],
  ['http://user:p%40ss@git.example.com/acme/web', 'git.example.com', 'acme', 'web'],
  ['https://git.example.com/group/sub/web?x=1#y', 'git.example.com', 'group/sub', 'web'],
  ['http://git.example.com//acme//web', 'git.example.com', 'acme', 'web'],
  ['https://git.example.com/group///sub//web//.git', 'git.example.com', 'group/sub', 'web'],
  ['git@git.example.com:acme//web.git', 'git.example.com', 'acme', 'web'],
  ['https://git.example.com//web', 'git.example.com', null, 'web'],
  ['https://git.example.com/web', 'git.example.com', null, 'web'],
  ['https://git.example.com', 'git.example.com', null, null],
  ['https://[::1]:80/acme/web', '[::1]', 'acme', 'web'],
  ['ssh://git@git.example.com/acme/web.git', 'git.example.com', 'acme', 'web'],
  ['ssh://git@git.example.com:2222/acme/web.git', 'git.example.com', 'acme', 'web'],
  ['ssh://git@git.example.com:acme/web.git', 'git.example.com', 'acme', 'web'],
  ['git+ssh://git@git.example.com/acme/web', 'git.example.com', 'acme', 'web'],
  ['git@git.example.com:acme/web.git', 'git.example.com', 'acme', 'web'],
  ['git@git.example.com:/srv/acme/web.git', 'git.example.com', 'srv/acme', 'web'],
  ['git@internal:acme/web', 'internal', 'acme', 'web'],
  ['git.example.com:acme/web.git', 'git.example.com', 'acme', 'web'],
  ['git@git.example.com:web.git', 'git.example.com', null, 'web'],
  ['/srv/git/web', null, null, null],
  ['C:\\work\\web', null, null, null],
  ['C:/repositories/web', null, null, null],
  ['file:///srv/git/web', null, null, null],
  ['acme/web', null, null, null],
  ['', null, null, null],
  [`https://git.example.com/${'x/'.repeat(200_000)}`, null, null, null],
])('%s', async (address, host, owner, name) => {
  expect(await partsOf(address)).toEqual([host, owner, name]);
});
