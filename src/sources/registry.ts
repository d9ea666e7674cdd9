/** The registry: every source, in the order in which reports list them. */
import type { Source } from '../model/source.ts';
import { activity } from './activity/source.ts';
import { computers } from './computers/source.ts';
import { productivity } from './productivity/source.ts';
import { readiness } from './readiness/source.ts';
import { sessionMessages } from './session-messages/source.ts';
import { tokens } from './tokens/source.ts';
import { tools } from './tools/source.ts';
import { users } from './users/source.ts';

export const sources: readonly Source[] = [
  tokens,
  tools,
  activity,
  productivity,
  users,
  readiness,
  computers,
  sessionMessages,
];

/** The sources with the smallest answers, asked for one day to learn the organization: the next when one is down. */
export const organizationProbes: readonly [Source, ...Source[]] = [activity, productivity];

/** The sources that `--endpoints` may name: those whose slices the platform lists, or that are days. */
export const listedSources: readonly Source[] = sources.filter(
  ({ partitioning }) => partitioning.isNamed !== true,
);

/** The others: somebody names their slices. */
export const unlistedSources: readonly Source[] = sources.filter((source) => !listedSources.includes(source));

/** The sources whose slices are days that can be read at any later time. */
export const dailySources: readonly Source[] = sources.filter(
  ({ partitioning }) => partitioning.kind === 'day',
);
