import { today, yesterday } from '../../src/model/day.ts';
import { runLoadJob } from '../../src/pipeline/loading/load-slices.ts';
import { planBackfill } from '../../src/pipeline/plan/plan.ts';
import { registeredSessions } from '../../src/pipeline/sessions/registered-sessions.ts';
import { unlistedSources } from '../../src/sources/registry.ts';
import type { Job } from '../job.ts';
import { runResult } from '../run-result.ts';
import { refuseOtherIds } from './session-ids.ts';

/** Loads the messages of sessions. */
export const job: Job = {
  name: 'load',
  organizations: 'one',
  description: 'reads the messages of registered, unfinished sessions, or of the given ones',
  example: 'sessions load session_000000001',
  needsPlatform: true,
  options: (command) =>
    command
      .argument('[id...]', 'ids of sessions; new ones are registered')
      .option('--force', 'compare every message, even when the answers are known')
      .option('--allow-empty', 'with --force: accept an answer that deletes loaded messages'),
  prepare({ arguments: ids, options, clock, problems }) {
    refuseOtherIds(ids, problems);
    const force = options.force === true;
    const allowEmpty = options.allowEmpty === true;
    if (allowEmpty && !force) problems.push('--allow-empty: goes with --force only');
    return async (context) => {
      const { windowDays } = context.config;
      const last = yesterday(clock);
      const report = await runLoadJob(
        {
          name: 'sessions load',
          arguments: { sessions: ids, force, allow_empty: allowEmpty },
          yesterday: last,
          sources: unlistedSources,
          named: registeredSessions(context, ids),
          plan: (known) =>
            planBackfill(unlistedSources, { from: last, to: last }, known, {
              force: true,
              windowDays,
              today: today(clock),
            }),
          force,
          allowEmpty,
        },
        context,
      );
      return runResult(report, context);
    };
  },
};
