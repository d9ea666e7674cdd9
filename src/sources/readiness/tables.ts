import { type Dimension, reference, rowsOf, table, values } from '../../model/table.ts';

/** A repository. The database derives host, owner and name from the address. */
const repository: Dimension = {
  table: 'dim_repository',
  key: 'repository_key',
  naturalKey: ['repo_url'],
  perOrganization: true,
  attributes: [],
};

const readinessCriterion: Dimension = {
  table: 'dim_readiness_criterion',
  key: 'readiness_criterion_key',
  naturalKey: ['criterion_id'],
  perOrganization: false,
  attributes: [],
};

/** Grain: organization × report × criterion. */
const factReadinessCriterion = table('fact_readiness_criterion', {
  keys: [reference(readinessCriterion, ['key'])],
  columns: values('numerator', 'denominator', 'rationale'),
});

/** Grain: organization × report × application of the repository. */
const factReadinessApp = table('fact_readiness_app', {
  keys: values({ app_path: 'key' }),
  columns: values('description'),
});

/** Grain: organization × report. A report that is no longer listed is kept and flagged. */
export const factReadinessReport = table('fact_readiness_report', {
  keys: values({ report_id: 'reportId' }),
  columns: [
    reference(repository, ['repoUrl']),
    ...values({
      created_at: 'createdAt',
      commit_hash: 'commitHash',
      branch: 'branch',
      has_local_changes: 'hasLocalChanges',
      has_non_remote_commits: 'hasNonRemoteCommits',
      model_id: 'modelUsed.id',
      reasoning_effort: 'modelUsed.reasoningEffort',
      client_version: 'droidVersion',
    }),
  ],
  below: [rowsOf('report', factReadinessCriterion), rowsOf('apps', factReadinessApp)],
  vanished: { is_listed: false },
});
