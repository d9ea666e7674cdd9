/** The registry: every source, in the order in which reports list them. */
import type { DailySource } from '../model/source.ts';
import { activity } from './activity/source.ts';
import { productivity } from './productivity/source.ts';
import { tokens } from './tokens/source.ts';
import { tools } from './tools/source.ts';
import { users } from './users/source.ts';

export const sources: readonly DailySource[] = [tokens, tools, activity, productivity, users];

/** The sources with the smallest answers, asked for one day to learn the organization: the next when one is down. */
export const organizationProbes: readonly DailySource[] = [activity, productivity];
