/** A message of an agent session for loading (platform-api.md §2.2). Only its id is required. */
import { z } from 'zod';
import {
  flag,
  name,
  optionalText,
  privateText,
  ratio,
  timestamp,
  unread,
  wholeNumber,
  word,
} from '../../model/fields.ts';

/** Blocks of other types than `text` may have other fields. */
const contentBlock = z.object({
  type: word,
  text: privateText,
  id: unread,
});

const hookCommand = z.object({
  command: privateText,
  timeout: ratio.nullish(),
});

const hookResult = z.object({
  // Some systems report unsigned exit codes, which exceed an integer.
  exitCode: wholeNumber.nullish(),
  stdout: privateText,
  stderr: privateText,
  suppressOutput: flag.nullish(),
});

const identifier = optionalText.nullish();

export const sessionMessage = z.object({
  id: name,
  role: word,
  content: z.array(contentBlock),
  createdAt: timestamp.nullish(),
  updatedAt: timestamp.nullish(),
  parentId: identifier,
  userMessageSource: word,
  visibility: word,
  openaiMessageId: unread,
  openaiPhase: unread,
  openaiEncryptedContent: unread,
  openaiReasoningId: unread,
  openaiReasoningSummary: unread,
  geminiThoughtSignature: unread,
  chatCompletionReasoningField: unread,
  chatCompletionReasoningContent: unread,
  isUserVisible: flag.nullish(),
  isError: flag.nullish(),
  modelId: identifier,
  routerId: unread,
  reasoningEffort: word,
  hookEventName: word,
  hookMatcher: identifier,
  hookCommands: z.array(hookCommand).nullish(),
  hookStatus: word,
  hookResults: z.array(hookResult).nullish(),
  hookToolCallId: unread,
  hiddenFromUserViews: flag.nullish(),
  hookStartTime: timestamp.nullish(),
  hookEndTime: timestamp.nullish(),
  isParallelExecution: flag.nullish(),
  parallelGroupId: identifier,
});
