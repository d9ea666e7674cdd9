/** Readiness reports of the repositories of a simulated organization, from a seed (platform-api.md §2.3). */
import type { Clock } from '../model/clock.ts';
import type { Day } from '../model/day.ts';
import type { ReadinessReport } from '../sources/readiness/schema.ts';
import { commitOf, uuidOf } from './identifiers.ts';
import { hash, RandomStream } from './random.ts';

/** A report, and the id of its repository: the list can be filtered by it, but the report does not have it. */
export interface ListedReport {
  readonly repoId: string;
  readonly report: ReadinessReport;
}

const repositories = [
  'checkout',
  'web',
  'mobile',
  'infrastructure',
  'data-pipelines',
  'design-system',
  'docs',
];
const criteria = [
  'readme',
  'linter',
  'formatter',
  'unit-tests',
  'integration-tests',
  'type-checker',
  'pre-commit-hooks',
  'agents-md',
  'ci-under-10-minutes',
  'devcontainer',
  'secret-scanning',
];
const millisecondsBetween = 15 * 3_600_000;
const idKind = 1;

/** Returns a function that lists the reports that exist now. Reports are added over time and never removed. */
export function readinessReportsOf(seed: number, from: Day, clock: Clock): () => ListedReport[] {
  const begin = Date.parse(`${from}T06:00:00Z`);
  return () => {
    const reports: ListedReport[] = [];
    for (let number = 0; createdAt(seed, begin, number) <= clock(); number++)
      reports.push(reportOf(seed, begin, number));
    return reports;
  };
}

function createdAt(seed: number, begin: number, number: number): number {
  return begin + number * millisecondsBetween + (hash(seed, 61, number) % millisecondsBetween);
}

function reportOf(seed: number, begin: number, number: number): ListedReport {
  const random = new RandomStream(hash(seed, 62, number));
  const repository = number % repositories.length;
  const apps =
    repository === 1
      ? { 'apps/shop': 'The shop', 'apps/admin': 'Back office' }
      : { '.': 'The whole repository' };
  const parts = Object.keys(apps).length;
  // Later reports pass more criteria.
  const passes = () => random.next() < 0.4 + Math.min(0.5, number / 400);
  const evaluated = criteria.filter(() => random.next() < 0.9);
  const report: ReadinessReport = {
    reportId: uuidOf(seed, idKind, number),
    createdAt: createdAt(seed, begin, number),
    repoUrl: `https://git.example.com/acme/${repositories[repository]}`,
    apps: Object.fromEntries(Object.entries(apps).map(([path, description]) => [path, { description }])),
    report: Object.fromEntries(
      evaluated.map((criterion) => {
        const numerator = Array.from({ length: parts }, passes).filter(Boolean).length;
        return [
          criterion,
          { numerator, denominator: parts, rationale: rationale(criterion, numerator, parts) },
        ];
      }),
    ),
    ...(random.next() < 0.9 && {
      commitHash: commitOf(seed, number),
      branch: random.next() < 0.8 ? 'main' : `feature/readiness-${number}`,
      hasLocalChanges: random.next() < 0.1,
      hasNonRemoteCommits: random.next() < 0.1,
    }),
    ...(random.next() < 0.8 && {
      modelUsed: { id: 'claude-sonnet-4-5', reasoningEffort: random.next() < 0.5 ? 'medium' : 'off' },
      droidVersion: `0.${20 + Math.floor(number / 40)}.${number % 5}`,
    }),
  };
  return { repoId: `repo_${repository + 1}`, report };
}

function rationale(criterion: string, numerator: number, denominator: number): string {
  return `${criterion}: ${numerator} of ${denominator} ${numerator === denominator ? '✓' : '— “see README”'}`;
}
