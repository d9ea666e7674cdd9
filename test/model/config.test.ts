import { describe, expect, it } from 'vitest';
import { type Config, parseConfig } from '../../src/model/config.ts';
import { ConfigurationError } from '../../src/model/errors.ts';
import { complete, parse, problemsOf } from '../support/parsed-config.ts';

describe('the configuration', () => {
  it('has the documented defaults', () => {
    expect(parse(complete)).toMatchObject({
      platform: { baseUrl: new URL('https://api.example.com'), apiKey: 'sk-secret', apiKeyPlace: 'API_KEY' },
      databaseUrl: undefined,
      lookbackDays: 3,
      windowDays: 7,
      pageSize: 100,
      requestsPerSecond: 10,
      maxConcurrency: 4,
      requestTimeoutMs: 30_000,
      maxRetries: 6,
      maxRejectedShare: 0.2,
      maxDeletedShare: 0.5,
      lockTimeoutMs: 30_000,
      statementTimeoutMs: 600_000,
      chunkBytes: 4_194_304,
      memoryBytes: 16_777_216,
      listRows: 50_000,
      cronSchedule: '15 2 * * *',
      logLevel: 'info',
      logFormat: 'auto',
    });
  });

  it.each<[string, string, Partial<Config>]>([
    ['DATABASE_URL', 'postgres://u:p@h:5432/d', { databaseUrl: 'postgres://u:p@h:5432/d' }],
    ['LOOKBACK_DAYS', '0', { lookbackDays: 0 }],
    ['WINDOW_DAYS', '31', { windowDays: 31 }],
    ['PAGE_SIZE', ' 20 ', { pageSize: 20 }],
    ['REQUESTS_PER_SECOND', '0.5', { requestsPerSecond: 0.5 }],
    ['MAX_CONCURRENCY', '1', { maxConcurrency: 1 }],
    ['REQUEST_TIMEOUT_MS', '1000', { requestTimeoutMs: 1000 }],
    ['MAX_RETRIES', '0', { maxRetries: 0 }],
    ['MAX_RESPONSE_BYTES', '1', { maxResponseBytes: 1 }],
    ['MAX_SLICE_BYTES', '5368709120', { maxSliceBytes: 5_368_709_120 }],
    ['MAX_REJECTED_SHARE', '1', { maxRejectedShare: 1 }],
    ['MAX_DELETED_SHARE', '0', { maxDeletedShare: 0 }],
    ['RAW_RETENTION_DAYS', '0', { rawRetentionDays: 0 }],
    ['RUN_RETENTION_DAYS', '30', { runRetentionDays: 30 }],
    ['REJECTED_RETENTION_DAYS', '36500', { rejectedRetentionDays: 36_500 }],
    ['LOCK_TIMEOUT_MS', '3600000', { lockTimeoutMs: 3_600_000 }],
    ['STATEMENT_TIMEOUT_MS', '1', { statementTimeoutMs: 1 }],
    ['CHUNK_BYTES', '1', { chunkBytes: 1 }],
    ['MEMORY_BYTES', '0', { memoryBytes: 0 }],
    ['LIST_ROWS', '10000000', { listRows: 10_000_000 }],
    ['CRON_SCHEDULE', '0 4 * * *', { cronSchedule: '0 4 * * *' }],
    ['APP_BASE_URL', 'https://app.example.com', { appUrl: new URL('https://app.example.com') }],
    ['READINESS_PATH', '/api/list', { paths: { READINESS_PATH: '/api/list' } }],
    ['SOURCES', ' a, b,', { requiredSources: ['a', 'b'] }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['LOG_FORMAT', 'json', { logFormat: 'json' }],
  ])('takes %s=%s', (variable, value, expected) => {
    expect(parse({ ...complete, [variable]: value })).toMatchObject(expected);
  });

  it.each([
    [
      'API_BASE_URL',
      [
        'api.example.com',
        'http://example.com',
        'ftp://127.0.0.1',
        'https://u:p@h',
        'https://h?x=1',
        'https://h#x',
      ],
    ],
    [
      'DATABASE_URL',
      [
        'mysql://h/d',
        'not a url',
        'postgres://h/d?ssl=0',
        'postgres://h/d?sslmode=verify-full&ssl=no-verify',
        'postgres://h/d?SSLMODE=verify-full',
        'postgres://h/d?sslmode=verify-full&sslmode=disable',
        'postgres://h/d?sslmode=prefer',
        'postgres://h/d?sslmode=',
        'postgres://h/d?uselibpqcompat=true',
        'postgres://h/d?sslnegotiation=direct',
      ],
    ],
    ['APP_BASE_URL', ['app.example.com', 'http://example.com', 'https://u:p@h']],
    [
      'READINESS_PATH',
      ['list', '//other.example.com/list', '/\\\\other.example.com', '/a?b', '/a#b', '/a b'],
    ],
    ['LOOKBACK_DAYS', ['-1', '1.5', 'three', '367', '0x10', '1e2']],
    ['WINDOW_DAYS', ['0', '367']],
    ['PAGE_SIZE', ['0', '101']],
    ['REQUESTS_PER_SECOND', ['0', '-1', 'Infinity', '1e3', '.5']],
    ['MAX_CONCURRENCY', ['0', '65']],
    ['REQUEST_TIMEOUT_MS', ['0', '3600001']],
    ['MAX_RETRIES', ['-1', '101']],
    ['MAX_RESPONSE_BYTES', ['0', '999999999999']],
    ['MAX_SLICE_BYTES', ['0', '4 GB']],
    ['MAX_REJECTED_SHARE', ['1.1', '20%']],
    ['MAX_DELETED_SHARE', ['1.5', 'half']],
    ['RAW_RETENTION_DAYS', ['-1']],
    ['RUN_RETENTION_DAYS', ['-1', 'never']],
    ['REJECTED_RETENTION_DAYS', ['36501']],
    ['LOCK_TIMEOUT_MS', ['0', '3600001', '1.5']],
    ['STATEMENT_TIMEOUT_MS', ['0', '86400001']],
    ['CHUNK_BYTES', ['0', '67108865']],
    ['MEMORY_BYTES', ['-1', '1073741825']],
    ['LIST_ROWS', ['0', '10000001']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    ['LOG_FORMAT', ['xml']],
  ])('refuses a wrong %s by its name: %j', (variable, values) => {
    for (const value of values)
      expect(problemsOf({ ...complete, [variable]: value }), value).toEqual([
        expect.stringMatching(new RegExp(`^${variable}: expected `)),
      ]);
  });

  it.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:99', 'https://h/base/path'])(
    'takes the address %s',
    (address) => {
      expect(parse({ ...complete, API_BASE_URL: address }).platform?.baseUrl).toEqual(new URL(address));
    },
  );

  it('names every problem at once', () => {
    const problems = problemsOf({ PAGE_SIZE: '0', LOG_LEVEL: 'loud', DATABASE_URL: 'x' });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'API_BASE_URL',
      'API_KEY',
      'DATABASE_URL',
      'LOG_LEVEL',
      'PAGE_SIZE',
    ]);
  });

  it('takes an empty variable as absent', () => {
    expect(parse({ ...complete, PAGE_SIZE: '', DATABASE_URL: ' ', API_KEY_FILE: '' })).toMatchObject({
      pageSize: 100,
      databaseUrl: undefined,
    });
    expect(problemsOf({ API_BASE_URL: ' ', API_KEY: '' })).toHaveLength(2);
  });

  it('needs no platform for a command that does not talk to it', () => {
    expect(parse({}, false).platform).toBeUndefined();
  });
});

describe('sources that must work', () => {
  const sources = [{ name: 'here' }, { name: 'away', host: 'app' as const }];
  const problemsWith = (environment: Readonly<Record<string, string>>, named: readonly string[] = []) => {
    try {
      parseConfig(
        { ...complete, ...environment },
        { needsPlatform: true, readSecretFile: () => '', sources, named },
      );
    } catch (error) {
      if (error instanceof ConfigurationError) return error.problems;
      throw error;
    }
    return [];
  };

  it('are some of those that there are', () => {
    expect(problemsWith({ SOURCES: 'here' })).toEqual([]);
    expect(problemsWith({ SOURCES: 'here,elsewhere' })).toEqual([
      'SOURCES: expected some of here, away, got "here,elsewhere"',
    ]);
  });

  it('lie where somebody said, be they named by the setting or by the command line', () => {
    const missing = ['APP_BASE_URL: missing; set it, because away is required and read from there'];
    expect(problemsWith({ SOURCES: 'away' })).toEqual(missing);
    expect(problemsWith({}, ['away'])).toEqual(missing);
    expect(problemsWith({ SOURCES: 'away', APP_BASE_URL: 'https://app.example.com' }, ['away'])).toEqual([]);
  });
});

describe('the environment of Node', () => {
  it('must not make it trust whoever answers, whatever the command', () => {
    const trusting = { ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    for (const needsPlatform of [true, false])
      expect(problemsOf(trusting, needsPlatform)).toEqual([
        expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED: /),
      ]);
    expect(problemsOf({ ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([]);
  });

  it('names a proxy by a URL', () => {
    expect(problemsOf({ ...complete, HTTPS_PROXY: 'http://user:pass@proxy.example.com:3128' })).toEqual([]);
    for (const name of ['HTTPS_PROXY', 'https_proxy'])
      for (const proxy of ['proxy:3128', 'http://', 'ftp://proxy', '10.0.0.1'])
        expect(problemsOf({ ...complete, [name]: proxy })).toEqual([expect.stringMatching(`^${name}: `)]);
    expect(problemsOf({ HTTPS_PROXY: 'proxy:3128' }, false)).toEqual([]);
  });
});

describe('the credential', () => {
  it('is read from a file, without the line end', () => {
    expect(parse({ ...complete, API_KEY: undefined, API_KEY_FILE: '/run/key' }).platform?.apiKey).toBe(
      'sk-from-file',
    );
  });

  it('is not guessed when two are given', () => {
    expect(problemsOf({ ...complete, API_KEY_FILE: '/run/key' })).toEqual([
      'API_KEY, API_KEY_FILE: both are set; set one of them',
    ]);
  });

  it.each(['/run/nothing', '/run/empty'])('that cannot be had from %s is a problem', (file) => {
    expect(problemsOf({ ...complete, API_KEY: undefined, API_KEY_FILE: file })).toEqual([
      expect.stringMatching(/^API_KEY_FILE: /),
    ]);
  });

  it.each([
    { API_KEY: 'sk secret' },
    { API_KEY: 'sk-secret\r\nx-evil: 1' },
    { API_KEY: 'sk-schlüssel-secret' },
    { API_KEY: undefined, API_KEY_FILE: 'sk-secret' },
    { API_BASE_URL: 'https://sk-secret@h' },
    { DATABASE_URL: 'mysql://u:sk-secret@h/d' },
    { API_KEY_FILE: 'sk-secret' },
    { DATABASE_URL_FILE: 'postgres://u:sk-secret@h/d' },
    { HTTPS_PROXY: 'u:sk-secret@proxy' },
  ])('never shows in a problem: %j', (environment) => {
    const problems = problemsOf({ ...complete, ...environment });
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toMatch(/secret|schlüssel/);
  });
});
