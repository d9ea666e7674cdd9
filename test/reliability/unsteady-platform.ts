/** A platform that knows what is true of every endpoint and day, says something else now and then, and remembers what it said. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addDays, type Day, day, daysBetween, daysOf } from '../../src/model/day.ts';
import { generatedDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { type AnsweringServer, sendJson, startAnsweringServer } from '../support/answering-server.ts';
import { endpoints, organization } from '../support/installation.ts';
import { failures, type NightPlan, type Said, type Saying, type Series } from './night-plans.ts';
import { contents, type Row, rowsOf } from './odd-answers.ts';
import { type Page, pagesOf, pagings } from './odd-pages.ts';

/** The first day of which there is anything. */
export const firstDay = day('2026-02-02');

/** What the platform said when it was asked for an endpoint and day; without rows where it failed, or was not asked to the end. */
export interface Attempt {
  /** The day that was yesterday. */
  readonly night: Day;
  /** How it was answered, for people. */
  readonly as: Saying | 'what is true';
  rows: readonly Row[] | undefined;
}

/** A running platform. */
export interface UnsteadyPlatform {
  readonly url: URL;
  /** From now on `yesterday` is the last day served, and what `plan` says is said; without a plan all is true. */
  begin(yesterday: Day, plan: NightPlan | undefined): void;
  /** A command begins: its first answer serves only to learn the organization. */
  beginCommand(): void;
  truth(endpoint: string, of: Day): readonly Row[];
  /** All attempts for an endpoint and day, oldest first. */
  attempts(endpoint: string, of: Day): readonly Attempt[];
  close(): Promise<void>;
}

/** Some fifty of them have rows on a working day: more than half of these, and 20 rows, are soon lost. */
const users = 80;

/** Starts the platform of a series. */
export async function startUnsteadyPlatform({ seed, unused }: Series): Promise<UnsteadyPlatform> {
  const dataset = generatedDataset(createGenerator({ seed, users, from: firstDay }));
  const truths = new Map<string, readonly Row[]>();
  for (const { of, day: index } of unused)
    for (const endpoint of of) truths.set(`${endpoint} ${addDays(firstDay, index)}`, []);
  const attempts = new Map<string, Attempt[]>();
  let [night, plan, hasLearned] = [firstDay, undefined as NightPlan | undefined, false];

  function truth(endpoint: string, of: Day): readonly Row[] {
    const key = `${endpoint} ${of}`;
    const known = truths.get(key) ?? rowsOf(dataset.rows(endpoint, of));
    truths.set(key, known);
    return known;
  }

  function sayingOf(endpoint: string, of: Day): Saying | undefined {
    return plan?.said.find((each) => isMeant(each, endpoint, of))?.as;
  }

  function isMeant({ of: named, from, to }: Said, endpoint: string, of: Day): boolean {
    const ago = daysBetween(of, night);
    return named.includes(endpoint) && ago >= from && ago <= to;
  }

  /** What is said of a day where that does not fail, and however it is paged. */
  function saidRows(endpoint: string, of: Day): readonly Row[] {
    const saying = sayingOf(endpoint, of);
    const rows = truth(endpoint, of);
    return saying !== undefined && isContent(saying) ? contents[saying](rows, endpoint) : rows;
  }

  function attemptsOf(endpoint: string, of: Day): Attempt[] {
    const key = `${endpoint} ${of}`;
    const known = attempts.get(key) ?? [];
    attempts.set(key, known);
    return known;
  }

  function answer(response: ServerResponse, { url = '' }: IncomingMessage): void {
    const { pathname, searchParams: query } = new URL(url, 'http://127.0.0.1');
    const endpoint = pathname.split('/').at(-1) ?? '';
    if (!endpoints.some((known) => known === endpoint)) {
      sendJson(response, { title: 'Not found', detail: 'no such resource', status: 404 }, 404);
      return;
    }
    const range = { from: day(query.get('startDate') ?? ''), to: day(query.get('endDate') ?? '') };
    const meta = { org_id: organization, start_date: range.from, end_date: range.to };
    const days = daysOf(range);
    // Of users one record is asked for where only the organization is wanted.
    const learns = !hasLearned && (endpoint !== 'users' || query.get('limit') === '1');
    const begun = learns || query.has('cursor') ? [] : days.map((each) => began(endpoint, each));
    const failure = days.map((each) => sayingOf(endpoint, each)).find(isFailure);
    if (failure !== undefined) {
      sendFailure(response, failure);
      return;
    }
    hasLearned = true;
    if (endpoint === 'users') {
      const pages = pagesOfDay(range.from, Number(query.get('limit')));
      const cursor = query.get('cursor') ?? undefined;
      const page = pages.find((each) => each.cursor === cursor);
      if (page === undefined) throw new Error(`expected the cursor of a page, got ${cursor}`);
      if (!learns && page === pages.at(-1) && page.meta.has_more !== true) {
        const attempt = attemptsOf(endpoint, range.from).at(-1);
        if (attempt !== undefined) attempt.rows = saidRows(endpoint, range.from);
      }
      sendJson(response, { data: page.rows, meta: { ...meta, ...page.meta } });
      return;
    }
    const said = days.map((each) => saidRows(endpoint, each));
    for (const [index, attempt] of begun.entries()) attempt.rows = said[index];
    sendJson(response, { data: said.flat(), meta });
  }

  function began(endpoint: string, of: Day): Attempt {
    const as = sayingOf(endpoint, of) ?? 'what is true';
    const attempt: Attempt = { night, as, rows: undefined };
    attemptsOf(endpoint, of).push(attempt);
    return attempt;
  }

  function pagesOfDay(of: Day, size: number): readonly Page[] {
    const pages = pagesOf(saidRows('users', of), size);
    const saying = sayingOf('users', of);
    const odd = saying !== undefined && isPaging(saying) ? pagings[saying](pages) : [];
    return odd.length > 0 ? odd : pages;
  }

  const server: AnsweringServer = await startAnsweringServer((response, _number, request) =>
    answer(response, request),
  );
  return {
    url: server.url,
    begin(yesterday, next) {
      [night, plan] = [yesterday, next];
      for (const restated of next?.restated ?? [])
        for (const endpoint of restated.of)
          for (const of of daysOf({ from: firstDay, to: yesterday }))
            if (isMeant(restated, endpoint, of))
              truths.set(`${endpoint} ${of}`, contents[restated.as](truth(endpoint, of), endpoint));
    },
    beginCommand() {
      hasLearned = false;
    },
    truth,
    attempts: attemptsOf,
    close: () => server.close(),
  };
}

function sendFailure(response: ServerResponse, failure: (typeof failures)[number]): void {
  if (failure === 'reset') response.socket?.resetAndDestroy();
  else if (failure === '500')
    sendJson(response, { title: 'Error', detail: 'try again later', status: 500 }, 500);
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"date":');
}

function isFailure(saying: Saying | undefined): saying is (typeof failures)[number] {
  return failures.some((known) => known === saying);
}

function isContent(saying: Saying): saying is keyof typeof contents {
  return saying in contents;
}

function isPaging(saying: Saying): saying is keyof typeof pagings {
  return saying in pagings;
}
