/** Computers: answers and requests of the platform (platform-api.md §2.1, §4.5). */
import { z } from 'zod';
import { textOfLength } from '../text-length.ts';
import { type Call, noBody } from './call.ts';

/** The name of a computer, or the name of its remote user. */
export const shortText = textOfLength(1, 63);

/** The states of a step are not documented, nor is the unit of its Unix times. */
export const provisioningStep = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  error: z.string().optional(),
  startedAt: z.number().optional(),
  completedAt: z.number().optional(),
  installSessionId: z.string().optional(),
});

export const computerStatus = z.enum(['provisioning', 'active', 'error']);

/** A computer in an answer. Any provider is accepted: there are two, and the documentation names only one of them. */
export const computer = z.object({
  id: z.string(),
  name: shortText,
  providerType: z.string().min(1),
  createdAt: z.number(),
  hostId: z.guid().optional(),
  hostname: z.string().optional(),
  status: computerStatus.optional(),
  provisioningSteps: z.array(provisioningStep).optional(),
  relayClientUrl: z.url().optional(),
  relayAgentUrl: z.url().optional(),
  remoteUser: shortText.optional(),
  clonedRepoDirectories: z.array(z.string()).optional(),
  ownerPrincipalKind: z.string().optional(),
  ownerId: z.string().optional(),
  computerSource: z.object({ kind: z.string(), templateId: z.string().optional() }).optional(),
});

/** All computers of the organization: the list has no pages. */
export const computerList = z.object({ computers: z.array(computer) });

/** The query of the list. */
export const computersQuery = z.object({
  hostId: z.guid().optional(),
  includeProvisioningSteps: z.enum(['true', 'false']).optional(),
});

/** The body that creates a computer. */
export const createComputer = z.object({
  name: shortText,
  provider: z.string().min(1).optional(),
  hostId: z.guid().optional(),
  remoteUser: shortText.optional(),
  repos: z.array(z.url().max(2048)).max(20).optional(),
  autoInstallDeps: z.boolean().optional(),
  serviceAccountId: z.string().min(1).optional(),
  source: z.object({ kind: z.literal('template'), templateId: z.string() }).optional(),
});

/** The body that changes a computer; fields that it leaves out stay as they are. */
export const updateComputer = z.object({
  name: shortText.optional(),
  hostId: z.guid().optional(),
  remoteUser: shortText.optional(),
});

/** A computer as the client reads it: only these fields are checked, all other fields are kept unchecked. */
export const answeredComputer = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  status: z.string().nullish(),
});

/** All computers as the client reads them. */
export const answeredComputers = z.looseObject({ computers: z.array(answeredComputer) });

const root = '/api/v0/computers';
const nothing = z.object({});
/** The parts that most calls about computers have in common. */
const usual = { section: '§4.5', pathParameters: nothing, query: nothing, body: noBody } as const;
const byId = z.object({
  computerId: z.string().meta({ format: 'computer-id', examples: ['computer_000001'] }),
});
const one = { name: 'Computer', schema: computer };

/** All calls about computers. */
export const computerCalls = {
  create: {
    ...usual,
    id: 'create-computer',
    summary: 'Creates a computer',
    method: 'POST',
    path: root,
    body: { name: 'CreateComputer', schema: createComputer },
    success: { ...one, status: 201 },
  },
  list: {
    ...usual,
    id: 'list-computers',
    summary: 'Lists the computers of the organization',
    method: 'GET',
    path: root,
    query: computersQuery,
    success: { name: 'Computers', schema: computerList, status: 200 },
  },
  read: {
    ...usual,
    id: 'read-computer',
    summary: 'Reads a computer',
    method: 'GET',
    path: `${root}/{computerId}`,
    pathParameters: byId,
    success: { ...one, status: 200 },
  },
  readByName: {
    ...usual,
    id: 'read-computer-by-name',
    summary: 'Reads the computer with a name',
    method: 'GET',
    path: `${root}/name/{name}`,
    pathParameters: z.object({ name: shortText.meta({ examples: ['build-01'] }) }),
    success: { ...one, status: 200 },
  },
  update: {
    ...usual,
    id: 'update-computer',
    summary: 'Changes a computer',
    method: 'PATCH',
    path: `${root}/{computerId}`,
    pathParameters: byId,
    body: { name: 'UpdateComputer', schema: updateComputer },
    success: { ...one, status: 200 },
  },
  installDependencies: {
    ...usual,
    id: 'install-dependencies',
    summary: 'Tries the install step of a computer again',
    method: 'POST',
    path: `${root}/{computerId}/install-deps`,
    pathParameters: byId,
    success: { ...one, status: 202 },
  },
} as const satisfies Readonly<Record<string, Call>>;

export type Computer = z.infer<typeof computer>;
export type ProvisioningStep = z.infer<typeof provisioningStep>;
export type ComputerStatus = z.infer<typeof computerStatus>;
export type CreateComputer = z.infer<typeof createComputer>;
export type UpdateComputer = z.infer<typeof updateComputer>;
export type AnsweredComputer = z.infer<typeof answeredComputer>;
export type ComputersQuery = z.infer<typeof computersQuery>;
