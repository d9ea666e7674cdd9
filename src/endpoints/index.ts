/** The registry: every source, in the order in which reports list them. */
import type { DailySource } from '../model/source.ts';
import { flattenActivity } from './activity/flatten.ts';
import { activityByClient } from './activity/grouping.ts';
import { flattenProductivity } from './productivity/flatten.ts';
import { flattenTokens } from './tokens/flatten.ts';
import { tokensByModel } from './tokens/grouping.ts';
import { flattenTools } from './tools/flatten.ts';
import { toolsByName } from './tools/grouping.ts';
import { flattenUsers } from './users/flatten.ts';

const byWindow = { by: 'day', reading: 'window', dayField: 'date' } as const;
const byPages = { by: 'day', reading: 'pages', dayField: 'date' } as const;

const activity: DailySource = {
  name: 'activity',
  path: '/activity',
  slicing: byWindow,
  duplicates: 'sum',
  flatten: flattenActivity,
  grouping: activityByClient,
};

const productivity: DailySource = {
  name: 'productivity',
  path: '/productivity',
  slicing: byWindow,
  duplicates: 'sum',
  flatten: flattenProductivity,
};

const users: DailySource = {
  name: 'users',
  path: '/users',
  slicing: byPages,
  duplicates: 'last',
  flatten: flattenUsers,
};

export const sources: readonly DailySource[] = [
  {
    name: 'tokens',
    path: '/tokens',
    slicing: byWindow,
    duplicates: 'sum',
    flatten: flattenTokens,
    grouping: tokensByModel,
  },
  {
    name: 'tools',
    path: '/tools',
    slicing: byWindow,
    duplicates: 'sum',
    flatten: flattenTools,
    grouping: toolsByName,
  },
  activity,
  productivity,
  users,
];

/** The sources with the smallest answers, asked for one day to learn the organization: the next when one is down. */
export const organizationProbes: readonly DailySource[] = [activity, productivity];
