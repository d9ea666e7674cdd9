/** Describes the machine on which figures were measured. */
import { cpus, platform, release, totalmem } from 'node:os';
import { z } from 'zod';

/** A machine and its versions. */
export const machine = z.object({
  date: z.string(),
  cpu: z.string(),
  cores: z.number(),
  memoryGib: z.number(),
  system: z.string(),
  node: z.string(),
  postgres: z.string(),
});
export type Machine = Readonly<z.infer<typeof machine>>;

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
