import { earliestDay } from '../src/model/day.ts';
import { roles } from '../src/simulator/access.ts';
import { describeOpenPoints, readChoices, usualPort } from '../src/simulator/open-points.ts';
import { runJobFile } from './command-line.ts';
import { dayOption, type Job, wholeOption } from './job.ts';
import { untilAborted } from './until-aborted.ts';

const defaultKey = 'simulated-key';

/** Serves the platform API on loopback from a seed, or prints its description. */
export const job: Job = {
  name: 'simulate',
  description: 'serves the platform API on loopback from a seed, for demos and tests',
  example: 'simulate --users 500 --port 4010',
  needsPlatform: false,
  staysUp: true,
  options: (command) =>
    command
      .option('--users <count>', 'users of the organization (default 200)')
      .option('--seed <number>', 'another seed is another organization (default 1)')
      .option('--from <day>', `the organization's first day (default ${earliestDay})`)
      .option('--latency-ms <ms>', 'delay of every answer (default 0)')
      .option('--port <port>', `port on 127.0.0.1, 0 for any free one (default ${usualPort})`)
      .option('--api-key <key>', `the accepted credential (default ${defaultKey})`)
      .option('--role <role>', `its role: ${roles.join(', ')} (default owner)`)
      .option('--choose <point=value...>', 'chooses behaviour that the platform does not document; see below')
      .option('--openapi', 'prints the OpenAPI 3.1 description of the simulated platform, and ends')
      .addHelpText(
        'after',
        () => `\nPoints of --choose, the default first:\n  ${describeOpenPoints().join('\n  ')}`,
      ),
  prepare({ options, clock, problems }) {
    const users = wholeOption(options.users, '--users', 200, [0, 1_000_000], problems);
    const seed = wholeOption(options.seed, '--seed', 1, [0, 2 ** 31 - 1], problems);
    const from = dayOption(options.from, '--from', earliestDay, clock, problems);
    const latencyMs = wholeOption(options.latencyMs, '--latency-ms', 0, [0, 600_000], problems);
    const port = wholeOption(options.port, '--port', usualPort, [0, 65_535], problems);
    const apiKey = typeof options.apiKey === 'string' ? options.apiKey : defaultKey;
    const role = roles.find((known) => known === (options.role ?? 'owner'));
    if (role === undefined)
      problems.push(`--role: expected one of ${roles.join(', ')}, got ${JSON.stringify(options.role)}`);
    const words = Array.isArray(options.choose) ? options.choose.map(String) : [];
    const choices = readChoices(words, '--choose', problems);
    return async ({ log, abort, announce }) => {
      const { openApi, simulatorFromSeed } = await import('../src/simulator/from-seed.ts');
      if (options.openapi === true) {
        const json = openApi(choices);
        return { json, text: JSON.stringify(json, null, 2), verbatim: true };
      }
      const simulator = await simulatorFromSeed({
        users,
        seed,
        from,
        latencyMs,
        port,
        apiKey,
        role: role ?? 'owner',
        choices,
        clock,
      });
      log.info(
        { url: simulator.url, users, seed },
        'the platform is simulated; set API_BASE_URL and APP_BASE_URL to this address',
      );
      const told = {
        json: { url: simulator.url, users, seed },
        text: `Ctrl-C ends it. For another terminal:\n  export API_BASE_URL=${simulator.url} APP_BASE_URL=${simulator.url} API_KEY=${apiKey}`,
        // The usual key is no secret. Somebody may have given a real one by mistake.
        verbatim: apiKey === defaultKey,
      };
      await announce(told);
      await untilAborted(abort.signal);
      await simulator.close();
      log.info({ requests: simulator.counts.requests }, 'the simulated platform has ended');
      return told;
    };
  },
};

if (import.meta.main) void runJobFile(job);
