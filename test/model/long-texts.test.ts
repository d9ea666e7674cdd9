/**
 * What meets texts from outside takes time that grows with their length, not with its square: a text of a megabyte would
 * take minutes otherwise. A call is ended when it takes far too long for a text that is looked through once: shorter
 * texts than that are long enough to tell.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { retryAfterMs } from '../../src/extract/retry-after.ts';
import { keptPayload } from '../../src/flatten/kept-payload.ts';
import { parseConfig } from '../../src/model/config.ts';
import { readCsv } from '../../src/model/csv.ts';
import { isEmail } from '../../src/model/email.ts';
import { ConfigurationError } from '../../src/model/errors.ts';
import { count, credits } from '../../src/model/fields.ts';
import { wrongAsSaid } from '../../src/model/finding.ts';
import { isPseudonym } from '../../src/model/forgotten-names.ts';
import { ForgottenPersons, mayBeEmail } from '../../src/model/forgotten-persons.ts';
import { ExactNumber, parseJson } from '../../src/model/json.ts';
import { endOfValue } from '../../src/model/json-scan.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { nameUnder, withoutEmails, withoutEmailsIn } from '../../src/model/withheld-emails.ts';
import { withoutTexts } from '../../src/model/withheld-texts.ts';
import { groupedDigits } from '../../src/reporting/number-text.ts';

/** Looked through once, a text of this length takes some milliseconds; from each of its characters, far longer than the limit. */
const longest = 192 * 1024;
const timeoutMs = 8_000;

/** Does it, and throws when that takes far too long; a pattern would hold up the whole test otherwise. */
function inTime(work: () => unknown): void {
  Reflect.set(globalThis, 'workInTime', work);
  runInThisContext('workInTime()', { timeout: timeoutMs });
}

/** A longer text of the same kind is no other text. */
const filled = (piece: string, length = longest) => piece.repeat(Math.ceil(length / piece.length));

const pieces = [
  ...[
    '#',
    '.',
    '@',
    '/',
    "'",
    '"',
    '-',
    '\\',
    ' ',
    '\t',
    'a',
    '1',
    'é',
    '\u0001',
    '%40',
    'a@',
    '.a',
    'a=',
    ',',
  ],
  ...['&amp;', '=40a', 'a @', '\\,', '__@a', '\u001b[0', '%22', '\ufe0f'],
  ...['\\"', 'a://:', 'bearer ', '"user_email":', '"next_cursor":"', '"ssh://a@', '{"a":'],
];
/** In these a secret may be written, or hidden. */
const piecesOfSecrets = [
  ...[
    '&',
    '\\u',
    '\\ud83d\\',
    'a ',
    '=\r',
    '&#x0',
    '<w',
    '\u001b]a',
    '\u009b',
    '\u0301',
    'ａ',
    '&amp',
    '&#',
    '\\e',
    'QUFB',
  ],
  ...['a-secret-ke', 'a%25'],
];
/** What is repeated stands between what it might belong to, and what ends it badly. */
const worstTexts = pieces.map((piece) => `a@${filled(piece)}\u0001`);

const persons = new ForgottenPersons();
persons.know(randomBytes(32), []);
for (const name of ['ann@corp.example', 'user-1']) persons.forget(name);
const sanitize = createSanitizer(['a-secret-key', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'a%25b', '\\\\\\\\x']);
const refusing = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof SyntaxError)) throw error;
  }
};
const settingNames = [
  ...['API_BASE_URL', 'API_KEY', 'DATABASE_URL', 'NOTIFY_WEBHOOK_URL', 'LOOKBACK_DAYS', 'MAX_DELETED_SHARE'],
  ...['READINESS_PATH', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'SOURCES', 'HTTPS_PROXY'],
];
const nameOf = nameUnder(randomBytes(32));
const asJson = (text: string) => Buffer.from(JSON.stringify({ data: [{ user_id: 'u', text }] }));

/** What meets texts from outside, and is made of more than one pattern or of none. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a text with forgotten persons': (text) => persons.inText(text),
  'an answer with forgotten persons': (text) => persons.inJson(asJson(text)),
  'what is no JSON, with forgotten persons': (text) => persons.inJsonText(text),
  'an answer whose e-mails are withheld': (text) => withoutEmails(asJson(text), nameOf),
  'what is no JSON, with e-mails withheld': (text) => withoutEmails(Buffer.from(text), nameOf),
  'a text whose e-mails are withheld': (text) => withoutEmailsIn(text, nameOf),
  'an answer whose texts are withheld': (text) => withoutTexts(asJson(text), 'data', z.object({})),
  sanitized: (text) => [sanitize(text), sanitize.namingPersons(text), sanitize.hideSecrets(text)],
  'a rejected row': (text) => keptPayload({ [text]: text }, sanitize.hideSecrets),
  'an e-mail address': (text) => [isEmail(text), mayBeEmail(text), isPseudonym(text)],
  'a Retry-After': (text) => retryAfterMs(text, 0),
  'a CSV file': (text) => readCsv(Buffer.from(`a,b\n${text}`), { required: ['a', 'b'] }, []),
  'the header of a CSV file': (text) => readCsv(Buffer.from(text), { required: ['a', 'b'] }, []),
  JSON: (text) => refusing(() => parseJson(text)),
  'the bytes of an answer': (text) => refusing(() => endOfValue(Buffer.from(text), 0)),
  'a problem with a setting': (text) => wrongAsSaid(text, ''),
  settings: (text) => {
    for (const name of settingNames)
      refusing(() => parseConfig({ [name]: text }, { needsPlatform: true, readSecretFile: () => text }));
  },
};

describe('a long text of the worst kind takes no time without end', () => {
  test.each(Object.entries(readers))('%s', (_, read) => {
    for (const text of [...worstTexts, filled('#')]) inTime(() => read(text));
  });

  test('sanitized, with what a secret may be written in', () => {
    for (const piece of piecesOfSecrets) inTime(() => sanitize(filled(piece)));
  });

  test('objects in objects, with addresses that a forgotten user has', () => {
    const depth = 25_000;
    const forgotten = new ForgottenPersons();
    forgotten.know(randomBytes(32), []);
    forgotten.forget('user-1');
    forgotten.noteBeside('user-1', 'ann@corp.example');
    const inside = filled('"ann@corp.example",');
    const json = `${'{"a":'.repeat(depth)}{"a":[${inside}1]}${'}'.repeat(depth)}`;
    inTime(() => forgotten.inJsonText(json));
  });

  test('digits', () => {
    const digits = filled('1234567890');
    inTime(() => groupedDigits(digits));
    for (const text of [
      digits,
      `${digits}.${digits}`,
      `0.${filled('0')}1`,
      `1.${filled('0')}`,
      `1e${digits}`,
    ]) {
      inTime(() => parseJson(`[${text}]`));
      inTime(() => [count, credits].map((field) => field.safeParse(new ExactNumber(text))));
    }
  });
});

describe('every pattern of the program looks through a text once', () => {
  const files = ['src', 'jobs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => join(folder, name)),
  );
  // The simulator makes texts up, and is asked by nobody else.
  const ofProgram = files.filter((file) => !file.startsWith(join('src', 'simulator')));
  const patterns = ofProgram.flatMap((file) =>
    patternsIn(readFileSync(file, 'utf8')).map((each) => ({ ...each, file })),
  );

  test('those that are put together from parts are tried above, with what uses them', () => {
    const puttingTogether = ofProgram.filter((file) => /\bRegExp\(/.test(readFileSync(file, 'utf8')));
    expect(puttingTogether.sort()).toEqual([
      'src/model/address-pattern.ts',
      'src/model/person-words.ts',
      'src/model/redaction.ts',
      'src/model/secret-readings.ts',
      'src/model/withheld-emails.ts',
    ]);
  });

  test('there are some', () => {
    expect(patterns.length).toBeGreaterThan(50);
  });

  test.each(patterns)('$file /$pattern/', ({ pattern, flags }) => {
    const expression = new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`);
    const characters = [...new Set([...pattern.replace(/\\[\^$nrtdDwWsSbBpPuk]/g, ''), ...'a0 .\n\u0001'])];
    const texts = characters.flatMap((one) => [
      `${filled(one)}\u0001`,
      ...['a', '0', ' '].map((other) => filled(one + other)),
    ]);
    for (const text of texts) inTime(() => text.replace(expression, ''));
  });
});

/** The patterns that stand in a source file. */
function patternsIn(source: string): { readonly pattern: string; readonly flags: string }[] {
  const found: { pattern: string; flags: string }[] = [];
  const literal = z.object({ regex: z.object({ pattern: z.string(), flags: z.string() }) });
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    const { success, data } = literal.safeParse(node);
    if (success) found.push(data.regex);
    else for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}
