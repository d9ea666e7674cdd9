import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, secretsOf } from '../../src/model/redaction.ts';

const redact = createRedactor([]);

/** Ways to write a text in another. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  percent: encodeURIComponent,
  'percent in lower case': (text) =>
    encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
  'percent for every byte': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  html: (text) => text.replace(/[^a-z0-9 ]/giu, (each) => `&#${each.codePointAt(0)};`),
  'html in hexadecimal': (text) =>
    text.replace(/[^a-z0-9 ]/giu, (each) => `&#x${each.codePointAt(0)?.toString(16).toUpperCase()};`),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json in json': (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  'json in ascii': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^\\a-z0-9]/gi, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

const key = 'Zx7/9Qw+pLm=R4t@u';

/** The key, otherwise. */
const writtenOtherwise = [
  'Zx7%2F9Qw%2BpLm%3DR4t%40u',
  'Zx7%2f9Qw%2bpLm%3dR4t%40u',
  'Zx7%252F9Qw%252bpLm%25253DR4t%40u',
  'Zx7&#47;9Qw&#43;pLm&#61;R4t&#64;u',
  'Zx7&#x2f;9Qw&#x2B;pLm&#x003d;R4t&#x40;u',
  'Zx7&sol;9Qw&plus;pLm&equals;R4t&commat;u',
  'Zx7&amp;#47;9Qw&amp;amp;#43;pLm=R4t@u',
  String.raw`Zx7\/9Qw\u002bpLm\u003DR4t@u`,
  String.raw`Zx7\\\/9Qw\\u002bpLm\\\\u003dR4t@u`,
  String.raw`Zx7\u00252f9Qw\x2bpLm\u{3d}R4t%5Cu0040u`,
  'Zx7/9Qw+p\nLm=R4t@u',
  'Zx7/9Qw\r\n    +pLm=R4t@u',
  'Zx7/9Qw+pLm=R4\u00adt@u',
  'Zx7/9Qw+pLm=R4\u200bt@u',
  'Z x 7 / 9 Q w + p L m = R 4 t @ u',
  String.raw`Zx7/9Qw+p\nLm=R4\tt@u`,
  String.raw`Zx7/9Qw+p\\r\\nLm=R4t@u`,
  'Zx7/9Qw+p%0ALm=R4%C2%ADt@u',
  'Zx7/9Qw&shy;+pLm<br/>=R4&#173;t&ZeroWidthSpace;@u',
  'Zx7/9&NewLine;Qw&nbsp;+p&amp;shy;Lm=R4t@u',
  'Zx7/9Qw+pLm==\r\nR4t@u',
  'Zx7/9Qw\u{e0020}+pLm\u034f=R4\u3164t\ufe0f@u',
  'Zx7\0/9Qw\u0001+pLm\u007f=R4\u0085t@u',
  'Zx7/9Q\u0301w+\u20ddpLm=R4\u115ft\u2800@u',
  'Zx7\u001b[0m/9Qw\u001b[38;5;196m+pLm=\u009b1mR4\u001b(Bt\u001b[K@u',
  'Zx7\u001b/9Qw+pLm=\u001b]0;title\u0007R4\u001b]8;;https://a.example\u001b\\t@u',
  String.raw`Zx7\u001b[0m/9Qw\x1b[1m+pLm\033[0m=R4\e[mt@u`,
  'Zx7%1B%5B0m/9Qw&#27;[1m+pLm%00=R4%EF%B8%8Ft@u',
  'Zx7&#479Qw&#x2bpLm&#61R4t&#064u',
  'Zx7&sol9Qw&plus;pLm&equalsR4t&amp;commatu',
  'Zx7&ampsol9Qw&amp#43pLm=R4t@u',
  'Ｚｘ７／９Ｑｗ＋ｐＬｍ＝Ｒ４ｔ＠ｕ',
  '\u001b]0;Zx7%2F9Qw+pLm=R4t@u\u0007',
  'Zx7&emsp;/9Qw&thinsp;+pLm=R4&lrm;t@u',
  'Zx7%u002f9Qw%u002BpLm=R4t@u',
  'Zx7/9Qw\ud800+pLm=R4t@u',
  Buffer.from('Zx7/9Qw+pLm=R4t@u', 'utf16le').toString('base64'),
  Buffer.from('Zx7/9Qw+pLm=R4t@u', 'utf16le').toString('hex'),
  '5a78372f3951772b704c6d3d5234744075',
  '5A78372F3951772B704C6D3D5234744075',
];

describe('a secret', () => {
  it('never survives, wherever it stands and however it is written', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 });
    const around = fc.string({ unit: 'grapheme', maxLength: 30 });
    const written = fc.constantFrom(
      (text: string) => text,
      encodeURIComponent,
      (text: string) => JSON.stringify(text),
      (text: string) => `${text}${text}`,
      (text: string) => `postgres://u:${text}@h/d`,
    );
    fc.assert(
      fc.property(secret, around, around, written, (hidden, before, after, write) => {
        fc.pre(!'[redacted]'.includes(hidden) && !`${before}${after}`.includes(hidden));
        const text = createRedactor([hidden])(`${before}${write(hidden)}${after}`);
        expect(text).not.toContain(hidden);
        expect(text).not.toContain(encodeURIComponent(hidden));
      }),
      { numRuns: 1000 },
    );
  });

  it('is hidden however it is encoded, in what and how often', () => {
    const secret = fc
      .string({ unit: 'grapheme', minLength: 5, maxLength: 40 })
      .filter((text) => text.replace(/[\s\p{C}\p{M}\\]/gu, '').length >= 5)
      // What cannot be seen by itself may stay at its ends, and the backslash that JSON puts before a quotation mark.
      .filter(
        (text) =>
          !/^[\s\p{C}\p{M}\p{DI}\u2800\ufffd\\"]|[\s\p{C}\p{M}\p{DI}\u2800\ufffd\\]$/u.test(
            text.normalize('NFKD'),
          ),
      );
    const apiKey = fc
      .stringMatching(/^[A-Za-z0-9+/=_.@:%&#-]{16,40}$/)
      // Of `%00` or `&#10` at an end, what it stands for cannot be seen either.
      .filter((text) => !/%[0-9a-f]{2}|&#/i.test(text));
    const ways = fc.array(fc.constantFrom(...Object.keys(encodings)), { minLength: 1, maxLength: 3 });
    const around = fc.constantFrom('', 'key ', '"', 'päß ', '. and then ');
    fc.assert(
      fc.property(fc.oneof(secret, apiKey), ways, around, around, (hidden, names, before, after) => {
        const encoded = names.reduce((text, name) => encodings[name]?.(text) ?? text, hidden);
        const shown = createRedactor([hidden])(`${before} ${encoded} ${after}`);
        expect(shown).toContain('[redacted]');
        expect(shown.replace(/[^a-z0-9]/gi, '').length, shown).toBeLessThan(30);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(writtenOtherwise)('is hidden in %j', (written) => {
    for (const text of [written, `said: ${written}`, `${written}, he said`, `<${written}>`]) {
      const shown = createRedactor([key])(text);
      expect(shown).toContain('[redacted]');
      expect(shown).not.toMatch(/Zx7|9Qw|pLm|R4t/);
    }
  });

  it.each([0, 1, 2, 3, 4, 5])('is hidden in Base64 of a text in which it follows %i bytes', (before) => {
    const text = `${'"user:'.slice(0, before)}${key}, and so on`;
    for (const encoded of [
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('base64url'),
      encodeURIComponent(Buffer.from(text).toString('base64')),
      Buffer.from(text).toString('base64').replace(/.{7}/g, '$&\r\n'),
      Buffer.from(JSON.stringify(text)).toString('base64'),
    ]) {
      const shown = createRedactor([key])(`Basic ${encoded}`);
      expect(shown).toContain('[redacted]');
      const left = shown.replace('Basic ', '').split('[redacted]');
      for (const part of left)
        for (let skipped = 0; skipped < 4; skipped++)
          expect(Buffer.from(part.slice(skipped), 'base64').toString('latin1')).not.toMatch(
            /Zx7|9Qw|pLm|R4t/,
          );
    }
  });

  it.each(['\u001b[0m', '\u00ad', '\u0301'])(
    'is hidden where %j stands between all its characters',
    (cut) => {
      expect(createRedactor([key])(`said ${[...key].join(cut)} .`)).toBe('said [redacted] .');
    },
  );

  it('is hidden where a character that nobody sees cuts it, each of them', () => {
    const redactKey = createRedactor([key]);
    const shownWith: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const cut = String.fromCodePoint(code);
      if (!/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{White_Space}]/u.test(cut)) continue;
      if (redactKey(`${key.slice(0, 6)}${cut}${key.slice(6)}`) !== '[redacted]')
        shownWith.push(code.toString(16));
    }
    expect(shownWith).toEqual([]);
  });

  it('that is short hides no text which only resembles it', () => {
    const redactShort = createRedactor(['abc', 'pass1', 'k+1']);
    for (const text of [
      'a b c and a\nbc, ab-c, ABC',
      'C:\\ab\\c and pa ss1',
      'k 1, k-1, k%1',
      'YWJj, cGFz and 616263',
      '100% sure &amp; &unknown; \\d+ \\u00',
    ])
      expect(redactShort(text)).toBe(text);
    for (const text of ['k%2b1', 'k%252B1', 'k&#43;1', 'k&plus;1', 'k\\u002b1', 'pass%31', 'ab\\u0063'])
      expect(redactShort(text)).toBe('[redacted]');
  });

  it('that is not there changes nothing, whatever is encoded', () => {
    const redactKey = createRedactor([key]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        fc.pre(!/@|bearer|:\/\//i.test(text));
        expect(redactKey(text)).toBe(text);
      }),
    );
  });

  it('that is part of another goes with it', () => {
    expect(createRedactor(['abc', 'abcdef'])('x abcdef y abc')).toBe('x [redacted] y [redacted]');
  });
});

describe('without knowing the secret', () => {
  it.each([
    ['postgres://user:pass@host:5432/db', 'postgres://user:[redacted]@host:5432/db'],
    ['postgres://:pass@host', 'postgres://:[redacted]@host'],
    ['https://a:b@h and https://c:d@h', 'https://a:[redacted]@h and https://c:[redacted]@h'],
    ['https://host/path?x=1', 'https://host/path?x=1'],
    ['Authorization: Bearer sk-123.abc', 'Authorization: Bearer [redacted]'],
    ['{"authorization":"bearer  sk-123"}', '{"authorization":"bearer  [redacted]"}'],
    ['user ada.lovelace+x@mail.example.com failed', 'user [redacted] failed'],
    ['"é@exämple.de", <b@c.io>', '"[redacted]", <[redacted]>'],
    ['{"email":"a@b.com"}', '{"email":"[redacted]"}'],
    ['see ann%40corp.example, ann@localhost, ann@[10.0.0.1]', 'see [redacted], [redacted], [redacted]'],
    ['to "ann person"@corp.example', 'to [redacted]'],
    ['GET /sse?api_key=abc&x=1', 'GET /sse?api_key=[redacted]&x=1'],
    ['no @ here, nor a@b', 'no @ here, nor a@b'],
  ])('%s is shown as %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it('a long word is looked through once, not once from each of its characters', () => {
    const startedAt = performance.now();
    for (const unit of [
      'a',
      'a.',
      'a:',
      '//a',
      'a@',
      'bearer ',
      '%40',
      'a%40',
      'a%40a.',
      'a@a.',
      '"a',
      'api_key=',
    ])
      redact(unit.repeat(300_000));
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe('the secrets of a configuration', () => {
  const platform = { apiKey: 'sk-key' };

  it('are the key and the password, encoded and decoded', () => {
    const databaseUrl = 'postgres://u:p%40ss@h/d?password=other%20one';
    expect(secretsOf({ platform, databaseUrl })).toEqual(
      expect.arrayContaining(['sk-key', 'p%40ss', 'p@ss', 'other one']),
    );
  });

  it.each(['postgres://u:100%@h/d', 'postgres://u:%zz@h/d', 'postgres://h/d?password=100%25'])(
    'are found in %s, whose percent sign encodes nothing',
    (databaseUrl) => {
      const shown = createRedactor(secretsOf({ platform, databaseUrl }))(
        `connecting with 100% %zz to ${databaseUrl}`,
      );
      expect(shown).not.toMatch(databaseUrl.includes('zz') ? /%zz/ : /100%/);
    },
  );

  it('are what proxies and the collector of traces are given', () => {
    const none = { platform: undefined, databaseUrl: undefined };
    const shown = createRedactor(
      secretsOf(none, {
        HTTPS_PROXY: 'http://ann:hunter%402@proxy.example:3128',
        http_proxy: 'ann:swordfish@proxy.example:3128',
        all_proxy: 'socks5://lone-token@proxy.example',
        HTTP_PROXY: 'http://proxy.example:3128',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc.def,x-tenant=shop,x-api-key=k9',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-api-key=a=b==,x-team=0123456789',
      }),
    )(
      'hunter@2 hunter%402 swordfish lone-token Bearer%20abc.def / abc.def / a=b== / 0123456789 at proxy.example of shop, ann',
    );
    expect(shown.replaceAll('[redacted]', '…')).toBe('… … … … … / … / … / … at proxy.example of shop, ann');
  });

  it('are none where nothing is set', () => {
    expect(secretsOf({ platform: undefined, databaseUrl: undefined })).toEqual([]);
    expect(secretsOf({ platform: undefined, databaseUrl: 'postgres://h/d' })).toEqual([]);
  });
});
