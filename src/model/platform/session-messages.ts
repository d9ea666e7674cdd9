/** Messages of an agent session as documented (platform-api.md §2.2, §4.4). Loading accepts more than this. */
import { z } from 'zod';
import type { PagingFields } from '../paging.ts';

/** A block of a message. Only the type `text` is documented; a block of another type may have any fields. */
export const contentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
});

export const messageRole = z.enum(['user', 'assistant', 'tool', 'system']);
/** The roles by which a list can be filtered. */
export const roleFilter = messageRole.exclude(['system']);
export const hookStatus = z.enum(['executing', 'completed', 'error']);

const userMessageSource = z.enum([
  'web',
  'desktop',
  'cli_tui',
  'cli_exec',
  'cli_acp',
  'slack',
  'linear',
  'sessions_api',
  'api',
  'automation',
  'readiness-remediation',
  'readiness-evaluation',
  'wiki-generation',
  'wiki-ci-setup',
]);

const reasoningEffort = z.enum([
  'none',
  'dynamic',
  'off',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
]);

export const hookResult = z.object({
  exitCode: z.number().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  suppressOutput: z.boolean().optional(),
});

/** A single message. Its times are Unix times in an undocumented unit. */
export const message = z.object({
  id: z.string(),
  role: messageRole,
  content: z.array(contentBlock),
  createdAt: z.number(),
  updatedAt: z.number(),
  parentId: z.string().optional(),
  userMessageSource: userMessageSource.optional(),
  visibility: z.enum(['both', 'llm_only', 'user_only']).optional(),
  openaiMessageId: z.string().optional(),
  openaiPhase: z.enum(['commentary', 'final_answer']).nullish(),
  openaiEncryptedContent: z.string().optional(),
  openaiReasoningId: z.string().optional(),
  openaiReasoningSummary: z.string().optional(),
  geminiThoughtSignature: z.string().optional().meta({ deprecated: true }),
  chatCompletionReasoningField: z.enum(['reasoning', 'reasoning_content']).optional(),
  chatCompletionReasoningContent: z.string().optional(),
  isUserVisible: z.boolean().optional(),
  isError: z.boolean().optional(),
  modelId: z.string().optional(),
  routerId: z.string().optional(),
  reasoningEffort: reasoningEffort.optional(),
  hookEventName: z.string().optional(),
  hookMatcher: z.string().optional(),
  hookCommands: z.array(z.object({ command: z.string(), timeout: z.number().optional() })).optional(),
  hookStatus: hookStatus.optional(),
  hookResults: z.array(hookResult).optional(),
  hookToolCallId: z.string().optional(),
  hiddenFromUserViews: z.boolean().optional(),
  hookStartTime: z.number().optional(),
  hookEndTime: z.number().optional(),
  isParallelExecution: z.boolean().optional(),
  parallelGroupId: z.string().optional(),
});

/** A message in a list: there the role may be missing. */
export const listedMessage = message.partial({ role: true });

/** A page of messages. It is not documented whether the last page names a next cursor. */
export const messagePage = z.object({
  messages: z.array(listedMessage),
  pagination: z.object({ hasMore: z.boolean(), nextCursor: z.string().optional() }),
});

/** The paging fields, present in every page (§4.4). */
export const messagesPaging: PagingFields = {
  field: 'pagination',
  more: 'hasMore',
  next: 'nextCursor',
  isRequired: true,
};

export function messagesPath(sessionId: string): string {
  return `/api/v0/sessions/${encodeURIComponent(sessionId)}/messages`;
}

export type Message = z.infer<typeof message>;
export type ListedMessage = z.infer<typeof listedMessage>;
