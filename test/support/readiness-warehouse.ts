/** The rows about readiness that the warehouse must have for given reports, and the rows that it has. */
import type pg from 'pg';
import { z } from 'zod';
import type { Report } from './readiness-platform.ts';

const payload = z.object({
  reportId: z.string(),
  createdAt: z.number(),
  repoUrl: z.string(),
  apps: z.record(z.string(), z.object({ description: z.string() })),
  report: z.record(
    z.string(),
    z.object({ numerator: z.number(), denominator: z.number(), rationale: z.string() }),
  ),
  commitHash: z.string().optional(),
  branch: z.string().optional(),
  hasLocalChanges: z.boolean().optional(),
  hasNonRemoteCommits: z.boolean().optional(),
  modelUsed: z.object({ id: z.string(), reasoningEffort: z.string() }).optional(),
  droidVersion: z.string().optional(),
});

type Rows = readonly (readonly unknown[])[];

/** The sorted rows of the three facts, with natural keys. */
export interface ReadinessRows {
  readonly reports: Rows;
  readonly criteria: Rows;
  readonly apps: Rows;
}

const sorted = (rows: Rows): Rows =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The expected rows for these reports; the platform does not list those of `unlisted` any more. */
export function expectedReadiness(
  listed: readonly Report[],
  unlisted: readonly Report[] = [],
): ReadinessRows {
  const gone = new Set(unlisted.map(({ reportId }) => reportId));
  const reports = [...listed, ...unlisted].map((each) => payload.parse(each));
  return {
    reports: sorted(
      reports.map((each) => [
        each.reportId,
        each.repoUrl,
        new Date(each.createdAt).toISOString(),
        each.commitHash ?? null,
        each.branch ?? null,
        each.hasLocalChanges ?? null,
        each.hasNonRemoteCommits ?? null,
        each.modelUsed?.id ?? null,
        each.modelUsed?.reasoningEffort ?? null,
        each.droidVersion ?? null,
        !gone.has(each.reportId),
      ]),
    ),
    criteria: sorted(
      reports.flatMap(({ reportId, report }) =>
        Object.entries(report).map(([id, { numerator, denominator, rationale }]) => [
          reportId,
          id,
          numerator,
          denominator,
          rationale,
        ]),
      ),
    ),
    apps: sorted(
      reports.flatMap(({ reportId, apps }) =>
        Object.entries(apps).map(([path, { description }]) => [reportId, path, description]),
      ),
    ),
  };
}

/** The actual rows of an organization. */
export async function storedReadiness(pool: pg.Pool, organizationId: string): Promise<ReadinessRows> {
  const rows = async (text: string): Promise<Rows> => {
    const result = await pool.query<unknown[]>({ text, values: [organizationId], rowMode: 'array' });
    return sorted(result.rows);
  };
  return {
    reports: await rows(`
      select report_id::text, repo_url,
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), commit_hash, branch,
        has_local_changes, has_non_remote_commits, model_id, reasoning_effort, client_version, is_listed
      from warehouse.fact_readiness_report as f
      join warehouse.dim_repository using (org_key, repository_key)
      join warehouse.dim_org using (org_key) where org_id = $1`),
    criteria: await rows(`
      select report_id::text, criterion_id, numerator::int, denominator::int, rationale
      from warehouse.fact_readiness_criterion join warehouse.dim_readiness_criterion using (readiness_criterion_key)
      join warehouse.dim_org using (org_key) where org_id = $1`),
    apps: await rows(`
      select report_id::text, app_path, description from warehouse.fact_readiness_app
      join warehouse.dim_org using (org_key) where org_id = $1`),
  };
}
