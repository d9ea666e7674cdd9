import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { csvLine, readCsv, startsFormula } from '../../src/model/csv.ts';

const columns = { required: ['name', 'size'], optional: ['note'] } as const;

function read(text: string | Buffer) {
  const problems: string[] = [];
  const records = readCsv(Buffer.from(text), columns, problems).map(({ line, value }) => [
    line,
    value('name'),
    value('size'),
    value('note'),
  ]);
  return { records, problems };
}

describe('a file', () => {
  test.each([
    ['plain', 'name,size\na,1\nb,2\n'],
    ['without an end to its last line', 'name,size\na,1\nb,2'],
    ['with the line ends of Windows', 'name,size\r\na,1\r\nb,2\r\n'],
    ['with the line ends of old Macs', 'name,size\ra,1\rb,2\r'],
    ['with a byte order mark', '\ufeffname,size\na,1\nb,2\n'],
    ['with its columns in another order', 'size,name\n1,a\n2,b\n'],
    ['with quotes around everything', '"name","size"\n"a","1"\n"b","2"\n'],
  ])('%s is read', (_, text) => {
    expect(read(text)).toEqual({
      records: [
        [2, 'a', '1', ''],
        [3, 'b', '2', ''],
      ],
      problems: [],
    });
  });

  it('may have line ends within quotes, which count as lines', () => {
    expect(read('name,size,note\r\n"a\r\nb","1","say ""hi"", then\ngo"\r\nc,2,\r\n').records).toEqual([
      [2, 'a\r\nb', '1', 'say "hi", then\ngo'],
      [5, 'c', '2', ''],
    ]);
  });

  it('may have empty lines, which count as lines', () => {
    expect(read('\nname,size\n\na,1\r\n\r\n\nb,2\n\n').records).toEqual([
      [4, 'a', '1', ''],
      [7, 'b', '2', ''],
    ]);
  });
});

describe('a problem names the line', () => {
  test.each([
    ['', ['expected a first line with the columns name, size, optionally note, got an empty file']],
    ['\n\n', ['expected a first line with the columns name, size, optionally note, got an empty file']],
    ['name\na\n', ['line 1: expected the columns name, size, optionally note: size is missing']],
    [
      'name,size,colour,size\n',
      [
        'line 1: expected the columns name, size, optionally note: expected no column "colour"; expected size once',
      ],
    ],
    [
      'name;size\na;1\n',
      ['line 1: expected commas between the columns, got semicolons; separate the columns by commas'],
    ],
    [
      'name,size\na\nb,2\nc,3,4\n',
      [
        'line 2: expected 2 values as in the first line, got 1',
        'line 4: expected 2 values as in the first line, got 3',
      ],
    ],
    [
      'name,size\na,1\nb"c,2\nd,3\n',
      [expect.stringMatching(/^line 3: expected quotes around the whole value/)],
    ],
    ['name,size\na,1\n"b"c,2\n', [expect.stringMatching(/^line 3: /)]],
    ['name,size\na,1\n"b,2\nc,3\n', [expect.stringMatching(/^line 3: /)]],
  ])('%j', (text, problems) => {
    expect(read(text).problems).toEqual(problems);
  });

  it('and what stands before or beside it is read', () => {
    expect(read('name,size\na,1\nb\nc,3\nd"e,4\nf,5\n').records).toEqual([
      [2, 'a', '1', ''],
      [4, 'c', '3', ''],
    ]);
  });

  it('unless the file is no text in UTF-8', () => {
    const utf16 = Buffer.from('\ufeffname,size\na\u00e9,1\n', 'utf16le');
    expect(read(utf16)).toEqual({ records: [], problems: [expect.stringContaining('UTF-8')] });
  });
});

test('whatever is written as CSV is read as it was', () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', ';') });
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          field,
          field.map((text) => `${text}.`),
        ),
      ),
      (rows) => {
        const text = [csvLine(['name', 'size']), ...rows.map(csvLine)].join('\r\n');
        expect(read(text)).toEqual({
          records: rows.map(([name, size]) => [expect.any(Number), name, size, '']),
          problems: [],
        });
      },
    ),
  );
});

describe('a formula', () => {
  test.each([
    '=1+1',
    '+HYPERLINK("http://example.com")',
    "-2+3+cmd|'/c calc'!A1",
    '@SUM(A1)',
    '\ttext',
    '\rtext',
    ' \u00a0\u200b\u0000=1',
    '\uff1d1',
    '\uff0b1',
    '\uff0d1',
    '\uff201',
    '\ufe661',
    '\u22121',
    'one;=1',
    'one; +1',
  ])('is seen in %j', (text) => {
    expect(startsFormula(text)).toBe(true);
  });

  test.each(['', 'ada@example.com', 'ada+x=y-z@example.com', '"odd,one"@example.com', '1=1'])(
    'is not seen in %j',
    (text) => {
      expect(startsFormula(text)).toBe(false);
    },
  );
});

test.each([
  ['a\0b,1,', 'line 3: name: expected no control characters, got U+0000 after "a"'],
  ['a,1,\u001b[0m', 'line 3: note: expected no control characters, got U+001B after ""'],
  [
    `${'n'.repeat(30_000_000)},1,`,
    `line 3: name: expected at most 2000 characters, got 30000000, beginning with "${'n'.repeat(40)}"`,
  ],
])('a value that no name can be is refused by its line', (line, problem) => {
  expect(read(`name,size,note\nb,2,\n${line}\n`)).toEqual({
    records: [[2, 'b', '2', '']],
    problems: [problem],
  });
});
