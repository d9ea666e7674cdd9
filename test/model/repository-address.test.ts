import { expect, it, test } from 'vitest';
import { withoutUserInfo } from '../../src/model/repository-address.ts';

it.each([
  ['https://ann:t0ken@git.example/team/repo', 'https://git.example/team/repo'],
  ['https://t0ken@git.example/team/repo', 'https://git.example/team/repo'],
  [' HTTP://ann:p@w@git.example:8080/team/repo', ' HTTP://git.example:8080/team/repo'],
  ['https://ann:p/w@git.example/team/repo', 'https://git.example/team/repo'],
  ['git+https://ann@git.example', 'git+https://git.example'],
  ['ssh://git:t0ken@git.example:22/team/repo', 'ssh://git@git.example:22/team/repo'],
  ['svn+ssh://ann:pw@git.example/repo', 'svn+ssh://ann@git.example/repo'],
])('%s is stored as %s', (address, stored) => {
  expect(withoutUserInfo(address)).toBe(stored);
});

it.each([
  'https://git.example:8443/team/repo@2',
  'https://git.example/@team/repo?at=a@b',
  'ssh://git@git.example/team/repo',
  'git@git.example:team/repo.git',
  '/srv/dev/repo@2',
  '',
])('%j is stored as it is', (address) => {
  expect(withoutUserInfo(address)).toBe(address);
});

test('an address of a megabyte is looked through once', () => {
  for (const unit of ['a', ':', '@', '://', 'https://', ' ', 'a:@'])
    for (const start of ['https://', 'https://a:', 'ssh://a:', ''])
      withoutUserInfo(`${start}${unit.repeat(1_000_000)}@`);
});
