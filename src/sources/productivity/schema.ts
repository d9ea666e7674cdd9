/** `/productivity`: files, commits and pull requests per day (platform-api.md §2.5). */
import { z } from 'zod';
import { count, name } from '../../model/fields.ts';
import { noGroup } from '../analytics.ts';

export const productivityRow = z.object({
  date: name,
  group_key: noGroup,
  files_created: count,
  files_edited: count,
  by_extension: z.array(z.object({ extension: name, count })).nullish(),
  by_language: z.array(z.object({ language: name, count })).nullish(),
  git_commits: count,
  git_prs_created: count,
});
