/** All sources, in the order of reports. */
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

/**
 * The sources with the smallest answers. An answer for one day names the organization. When one source is down, the next
 * one is asked.
 */
export const organizationProbes: readonly [Source, ...Source[]] = [activity, productivity];

/** The sources for `--endpoints`: their slices are days, or the platform lists them. */
export const listedSources: readonly Source[] = sources.filter(
  ({ partitioning }) => partitioning.isNamed !== true,
);

/** The sources that are not in `listedSources`: the user names their slices. */
export const unlistedSources: readonly Source[] = sources.filter((source) => !listedSources.includes(source));

/** The sources whose slices are days that can be read again later. */
export const dailySources: readonly Source[] = sources.filter(
  ({ partitioning }) => partitioning.kind === 'day',
);
