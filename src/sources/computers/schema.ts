/** Computers as they are loaded: whatever can be stored of them (platform-api.md §2.1). */
import { z } from 'zod';
import { conformedName, name, optionalText, timestamp } from '../../model/fields.ts';
import { withoutUserInfo } from '../../model/repository-address.ts';

/** Which fields a step must have is not documented, nor which states there are. */
const provisioningStep = z.object({
  id: name,
  name: name.nullish(),
  status: name.nullish(),
  error: name.nullish(),
  startedAt: timestamp.nullish(),
  completedAt: timestamp.nullish(),
  installSessionId: name.nullish(),
});

/** Status, provider and kind of source may be others than the documented ones. */
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
