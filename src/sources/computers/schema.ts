/** Computers for loading: accepts everything that can be stored (platform-api.md §2.1). */
import { z } from 'zod';
import { conformedName, name, optionalText, timestamp } from '../../model/fields.ts';
import { withoutUserInfo } from '../../model/repository-address.ts';

/** A provisioning step. The documentation names neither its required fields nor its states. */
const provisioningStep = z.object({
  id: name,
  name: name.nullish(),
  status: name.nullish(),
  error: name.nullish(),
  startedAt: timestamp.nullish(),
  completedAt: timestamp.nullish(),
  installSessionId: name.nullish(),
});

/** A computer. Status, provider and kind of its source may have undocumented values. */
export const computerRecord = z.object({
  id: name,
  name: optionalText,
  providerType: optionalText,
  createdAt: timestamp.nullish(),
  hostId: name.nullish(),
  hostname: name.nullish(),
  status: name.nullish(),
  provisioningSteps: z.array(provisioningStep).nullish(),
  relayClientUrl: name.nullish(),
  relayAgentUrl: name.nullish(),
  remoteUser: name.nullish(),
  clonedRepoDirectories: z.array(conformedName(withoutUserInfo)).nullish(),
  ownerPrincipalKind: name.nullish(),
  ownerId: name.nullish(),
  computerSource: z.object({ kind: name.nullish(), templateId: name.nullish() }).nullish(),
});
