/** Readiness reports: evaluations of repositories (platform-api.md §2.3, §4.3). */
import { z } from 'zod';
import { conformedName, count, flag, name, timestamp, uuid } from '../../model/fields.ts';
import { withoutUserInfo } from '../../model/repository-address.ts';

/** A report for loading: accepts everything that can be stored. */
export const readinessRecord = z.object({
  reportId: uuid,
  createdAt: timestamp,
  repoUrl: conformedName(withoutUserInfo),
  apps: z.record(name, z.object({ description: name.nullish() })),
  report: z.record(name, z.object({ numerator: count, denominator: count, rationale: name.nullish() })),
  commitHash: name.nullish(),
  branch: name.nullish(),
  hasLocalChanges: flag.nullish(),
  hasNonRemoteCommits: flag.nullish(),
  modelUsed: z.object({ id: name.nullish(), reasoningEffort: name.nullish() }).nullish(),
  droidVersion: name.nullish(),
});

/** How many parts of a repository pass a criterion (`numerator`), of how many evaluated parts (`denominator`). */
export const criterionEvaluation = z
  .object({ numerator: z.number().min(0), denominator: z.number().min(1), rationale: z.string() })
  .refine(({ numerator, denominator }) => numerator <= denominator, {
    error: 'expected a numerator up to the denominator',
  });

/** A report exactly as documented; `createdAt` is in milliseconds. */
export const readinessReport = z.object({
  reportId: z.guid(),
  createdAt: z.number(),
  repoUrl: z.string(),
  apps: z.record(z.string(), z.object({ description: z.string() })),
  report: z.record(z.string(), criterionEvaluation),
  commitHash: z.string().optional(),
  branch: z.string().optional(),
  hasLocalChanges: z.boolean().optional(),
  hasNonRemoteCommits: z.boolean().optional(),
  modelUsed: z
    .object({ id: z.string(), reasoningEffort: z.enum(['low', 'medium', 'high', 'off']) })
    .optional(),
  droidVersion: z.string().optional(),
});

/** A page of reports. The next page is requested by the id of the last report. */
export const readinessReports = z.object({ reports: z.array(readinessReport) });

export type ReadinessReport = z.infer<typeof readinessReport>;
