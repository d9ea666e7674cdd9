/** Which organizations a run works on: they are in the ledger, and their locks are the run's. */
import { setTimeout as delay } from 'node:timers/promises';
import { LockHeldError } from '../../model/errors.ts';
import { listOrganizations, organizationKey } from '../../warehouse/ledger/organization.ts';
import { assignRun } from '../../warehouse/ledger/run-ledger.ts';
import type { OpenLedgerRun } from '../runs/recorded-run.ts';

/** A run that waits for an organization looks so often whether it is free. */
const betweenTriesMs = 200;

/** An organization that a run has for itself. */
export interface TakenOrganization {
  readonly orgKey: number;
  readonly organizationId: string;
}

/** Makes a run that of one organization, which may be new. Returns its key. Throws `LockHeldError` when another run works on it. */
export async function takeOrganization(
  { control, runId }: Pick<OpenLedgerRun, 'control' | 'runId'>,
  organizationId: string,
): Promise<number> {
  const orgKey = await control.use(async ({ db }) => {
    const key = await organizationKey(db, organizationId);
    await assignRun(db, runId, key);
    return key;
  });
  await control.holdOrganization(orgKey);
  return orgKey;
}

/** Makes a run that of an organization that the warehouse knows. Throws `LockHeldError` when another run works on it. */
export async function takeKnownOrganization(
  { control, runId }: Pick<OpenLedgerRun, 'control' | 'runId'>,
  organization: TakenOrganization,
): Promise<TakenOrganization> {
  await control.use(({ db }) => assignRun(db, runId, organization.orgKey));
  await control.holdOrganization(organization.orgKey);
  return organization;
}

/**
 * Takes the lock of an organization, for work that only reads it, but asks the platform with the same budget: waits until other
 * runs of it have ended. Throws `LockHeldError` after `lockTimeoutMs`.
 */
export async function awaitOrganization(
  { control, onEvent }: Pick<OpenLedgerRun, 'control' | 'onEvent'>,
  orgKey: number,
  { lockTimeoutMs, signal }: { readonly lockTimeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const giveUpAt = performance.now() + lockTimeoutMs;
  for (let isFirst = true; ; isFirst = false)
    try {
      return await control.holdOrganization(orgKey);
    } catch (error) {
      if (!(error instanceof LockHeldError) || performance.now() > giveUpAt) throw error;
      if (isFirst)
        onEvent({
          type: 'waiting',
          reason: 'another run works on this organization; waiting until it has ended',
        });
      await delay(betweenTriesMs, undefined, { signal });
    }
}

/** Takes all that the warehouse knows, before anything is done. Throws `LockHeldError` where another run works on one. */
export async function takeAllOrganizations({
  control,
}: Pick<OpenLedgerRun, 'control'>): Promise<readonly TakenOrganization[]> {
  const organizations = await control.use(({ db }) => listOrganizations(db));
  for (const { orgKey } of organizations) await control.holdOrganization(orgKey);
  return organizations;
}

/** Takes those that no other run works on. Returns the others in `locked`, by key, with their errors. */
export async function takeFreeOrganizations(
  { control }: Pick<OpenLedgerRun, 'control'>,
  organizations: readonly Pick<TakenOrganization, 'orgKey'>[],
): Promise<{ readonly held: readonly number[]; readonly locked: ReadonlyMap<number, LockHeldError> }> {
  const held: number[] = [];
  const locked = new Map<number, LockHeldError>();
  for (const { orgKey } of organizations)
    try {
      await control.holdOrganization(orgKey);
      held.push(orgKey);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      locked.set(orgKey, error);
    }
  return { held, locked };
}
