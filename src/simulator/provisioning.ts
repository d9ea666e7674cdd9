/**
 * The provisioning of a simulated computer: three steps, one after the other, of which the last may fail (platform-api.md
 * §3).
 */
import type { ComputerStatus, ProvisioningStep } from '../model/platform/computers.ts';

/** Times in milliseconds. */
export interface Provisioning {
  readonly computerId: string;
  readonly begunAt: number;
  readonly duration: number;
  /** Start of the install step: after the other steps, or when it was requested again. */
  readonly installBegunAt: number;
  readonly fails: boolean;
}

/** The provisioning of a new computer. */
export function beginProvisioning(
  computerId: string,
  { begunAt, duration, fails }: Pick<Provisioning, 'begunAt' | 'duration' | 'fails'>,
): Provisioning {
  return { computerId, begunAt, duration, fails, installBegunAt: begunAt + 2 * stepTime(duration) };
}

/** The status at a moment. */
export function statusAt(provisioning: Provisioning, now: number): ComputerStatus {
  if (now < installEnd(provisioning)) return 'provisioning';
  return provisioning.fails ? 'error' : 'active';
}

/** The steps at a moment, with their times in milliseconds. */
export function stepsAt(provisioning: Provisioning, now: number): ProvisioningStep[] {
  const { computerId, begunAt, duration, installBegunAt } = provisioning;
  const step = stepTime(duration);
  const plan = [
    { name: 'create-machine', startedAt: begunAt, completedAt: begunAt + step },
    { name: 'clone-repositories', startedAt: begunAt + step, completedAt: begunAt + 2 * step },
    { name: 'install-dependencies', startedAt: installBegunAt, completedAt: installEnd(provisioning) },
  ];
  return plan.map(({ name, startedAt, completedAt }) => {
    const known = { id: `${computerId}-${name}`, name };
    if (now < startedAt) return { ...known, status: 'pending' };
    const installs = name === 'install-dependencies' && {
      installSessionId: `install-${computerId}-${startedAt}`,
    };
    if (now < completedAt) return { ...known, status: 'running', startedAt, ...installs };
    const outcome =
      installs && provisioning.fails
        ? { status: 'failed', error: 'npm ci exited with 1:\nERESOLVE could not resolve “react@19”' }
        : { status: 'completed' };
    return { ...known, ...outcome, startedAt, completedAt, ...installs };
  });
}

function installEnd({ installBegunAt, duration }: Provisioning): number {
  return installBegunAt + stepTime(duration);
}

function stepTime(duration: number): number {
  return Math.floor(duration / 3);
}
