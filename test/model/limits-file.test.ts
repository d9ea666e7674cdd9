import { describe, expect, it, test } from 'vitest';
import { limitsFileText, readLimitsFile } from '../../src/model/limits-file.ts';

function read(text: string) {
  const problems: string[] = [];
  return { wanted: readLimitsFile(Buffer.from(text), problems), problems };
}

test('a limit is a whole number, or none', () => {
  expect(read('email,limit\nada@example.com,1000000\nbob@example.com,none\n')).toEqual({
    wanted: [
      { email: 'ada@example.com', limit: 1_000_000 },
      { email: 'bob@example.com', limit: null },
    ],
    problems: [],
  });
});

describe('a line is refused by its number', () => {
  test.each([
    '999999',
    '1000000.5',
    '1e6',
    '-1000000',
    '1,000,000',
    '1 000 000',
    '0x1000000',
    '9007199254740992',
    '99999999999999999999',
    'None',
    'null',
    '',
  ])('with the limit %j', (limit) => {
    const { problems } = read(`email,limit\nada@example.com,2000000\nbob@example.com,"${limit}"\n`);
    expect(problems).toEqual([
      `line 3: limit: expected a whole number from 1000000 to 9007199254740991, or none; got ${JSON.stringify(limit)}`,
    ]);
  });

  test.each(['', 'ada', '@example.com', 'ada@', ' ada@example.com', 'ada@example.com\u200b', '=1+1@x.com'])(
    'with the e-mail %j',
    (email) => {
      const { problems } = read(`email,limit\n"${email}",2000000\n`);
      expect(problems).toEqual([`line 2: email: expected an e-mail address, got ${JSON.stringify(email)}`]);
    },
  );

  it('when its person stands in another line, in whatever spelling', () => {
    const { problems } = read(
      'email,limit\nada@example.com,2000000\nbjørn@example.com,none\nADA@Example.com,2000000\nBJØRN@example.com,none\n',
    );
    expect(problems).toEqual([
      'line 4: email: line 2 has the same e-mail',
      'line 5: email: line 3 has the same e-mail',
    ]);
  });

  it('with all that is wrong in it, and all that is wrong elsewhere', () => {
    expect(read('email,limit\nada,1\nbob@example.com\n"eve"x,1\n').problems).toHaveLength(4);
  });
});

test('a file may wish for nothing, but must say what its columns are', () => {
  expect(read(limitsFileText([]))).toEqual({ wanted: [], problems: [] });
  expect(read('').problems).toHaveLength(1);
});

test('the file that is written is one that is read', () => {
  const limits = [
    { email: 'ada@example.com', limit: 1_000_000 },
    { email: '"a,b"@example.com', limit: null },
    { email: "o'neill@example.com", limit: Number.MAX_SAFE_INTEGER },
  ];
  expect(read(limitsFileText(limits))).toEqual({ wanted: limits, problems: [] });
});
