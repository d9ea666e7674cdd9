import { Argument } from 'commander';
import { appVersion } from '../src/model/version.ts';
import { jobs } from './all-jobs.ts';
import { programOf, runJobFile } from './command-line.ts';
import { completionScripts } from './completion-scripts.ts';
import type { Job } from './job.ts';

/** Prints a completion script for a shell. */
export const job: Job = {
  name: 'completion',
  description: 'prints a script that teaches a shell to complete commands and options of usage-etl',
  example: 'completion bash > ~/.local/share/bash-completion/completions/usage-etl',
  needsPlatform: false,
  needsSettings: false,
  options: (command) =>
    command.addArgument(new Argument('<shell>', 'which shell').choices([...Object.keys(completionScripts)])),
  prepare:
    ({ arguments: [shell = ''] }) =>
    async () => {
      const loaded = await Promise.all(Object.values(jobs).map((load) => load()));
      const program = programOf([...loaded.map((module) => module.job), job], appVersion);
      const script = completionScripts[shell]?.(program) ?? '';
      return { json: { shell, script }, text: script, verbatim: true };
    },
};

if (import.meta.main) void runJobFile(job);
