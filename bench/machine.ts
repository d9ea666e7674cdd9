/** Describes the machine of the figures. */
import { cpus, platform, release, totalmem } from 'node:os';

/** A machine and its versions. */
export interface Machine {
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
}

/** Describes this machine. */
export function describeMachine(postgres: string): Machine {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()}`,
    node: process.versions.node,
    postgres,
  };
}
