/** Makes one message of a simulated session, of any role, sometimes with a hook (platform-api.md §2.2, §6). */
import type { Message } from '../model/platform/session-messages.ts';
import { hooks } from './catalogue.ts';
import { uuidOf } from './identifiers.ts';
import type { OpenPoints } from './open-points.ts';
import { hash, RandomStream } from './random.ts';
import { timeIn } from './time-unit.ts';

export interface MessagePlace {
  readonly seed: number;
  readonly session: number;
  readonly index: number;
  /** Number of messages that the session has at its end. */
  readonly count: number;
  /** Time of the message, and the current time, in milliseconds. */
  readonly at: number;
  readonly now: number;
  readonly points: OpenPoints;
}

/** Factor that keeps message ids unique: a session has fewer messages. */
const idsPerSession = 1_000;
const hookMilliseconds = 5_000;
const roles = ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'] as const;
const texts = [
  'Please add a test for the parser. 🙂',
  'I read `src/parser.ts`; the test fails as expected.\n\n```ts\nexpect(parse("")).toEqual([]);\n```',
  '',
  'Grün ✓ — nothing left to do.',
  'exit code 0\tin 3.2 s',
];

/** Makes a message. Equal places give equal messages, except for a hook that is still executing. */
export function messageOf(place: MessagePlace): Message {
  const { seed, session, index, count, at, now, points } = place;
  const random = new RandomStream(hash(seed, 900 + session, index));
  const isLast = index === count - 1;
  const role = index === 0 || isLast ? 'system' : (roles[(index - 1) % roles.length] ?? 'user');
  const hook = isLast || (role === 'tool' && random.next() < 0.3) ? hookOf(isLast, random) : undefined;
  const hookEnd = at + 1 + Math.floor(random.next() * hookMilliseconds);
  const time = (milliseconds: number) => timeIn(points, milliseconds);
  return {
    id: idOf(seed, session, index),
    role,
    content: contentOf(index, role, random, points['content-blocks'] === 'any'),
    createdAt: time(at),
    updatedAt: time(hook === undefined ? at : Math.min(now, hookEnd)),
    ...(index > 0 && { parentId: idOf(seed, session, index - 1) }),
    ...(role === 'user' && { userMessageSource: random.next() < 0.5 ? 'cli_tui' : 'web' }),
    ...(role === 'assistant' && fieldsOfModel(random)),
    ...(role === 'tool' && { isError: random.next() < 0.1 }),
    visibility: role === 'system' ? 'llm_only' : 'both',
    isUserVisible: role !== 'system',
    ...(random.next() < 0.05 && { hiddenFromUserViews: true }),
    ...(role === 'tool' &&
      random.next() < 0.2 && { isParallelExecution: true, parallelGroupId: `group-${index}` }),
    ...(hook && {
      hookEventName: hook.event,
      ...(hook.matcher !== undefined && { hookMatcher: hook.matcher }),
      ...(hook.command !== undefined && { hookCommands: [{ command: hook.command, timeout: 60 }] }),
      hookToolCallId: `call_${session}_${index}`,
      hookStartTime: time(at),
      ...(now < hookEnd
        ? { hookStatus: 'executing' }
        : { hookEndTime: time(hookEnd), ...outcomeOfHook(random) }),
    }),
  };
}

function idOf(seed: number, session: number, index: number): string {
  return `message-${uuidOf(seed, 2, session * idsPerSession + index)}`;
}

function hookOf(isLast: boolean, random: RandomStream) {
  const fitting = hooks.filter(({ event }) => event === (isLast ? 'SessionEnd' : 'PostToolUse'));
  return fitting[random.between(0, fitting.length - 1)];
}

function outcomeOfHook(random: RandomStream): Pick<Message, 'hookStatus' | 'hookResults'> {
  const fails = random.next() < 0.2;
  const result = fails
    ? { exitCode: 2, stdout: '', stderr: 'ruff: not found\n', suppressOutput: false }
    : { exitCode: 0, stdout: 'formatted\t1 file ✓\n', stderr: '', suppressOutput: random.next() < 0.5 };
  return { hookStatus: fails ? 'error' : 'completed', hookResults: [result] };
}

/** The model of a message, and the fields that depend on the model's provider. */
function fieldsOfModel(random: RandomStream): Partial<Message> {
  const efforts = ['none', 'low', 'medium', 'high', 'xhigh'] as const;
  const reasoningEffort = efforts[random.between(0, efforts.length - 1)] ?? 'none';
  const drawn = random.next();
  const id = `${random.between(1, 2 ** 31)}`;
  if (drawn < 0.5) return { modelId: 'claude-sonnet-4-5', reasoningEffort };
  if (drawn < 0.8)
    return {
      modelId: 'gpt-5.1-codex',
      routerId: 'router-1',
      reasoningEffort,
      openaiMessageId: `msg_${id}`,
      openaiPhase: drawn < 0.6 ? null : drawn < 0.7 ? 'commentary' : 'final_answer',
      openaiEncryptedContent: Buffer.from(id).toString('base64'),
      openaiReasoningId: `rs_${id}`,
      openaiReasoningSummary: 'Looks for the failing test first.',
    };
  if (drawn < 0.9) return { modelId: 'gemini-3-pro', reasoningEffort, geminiThoughtSignature: `sig_${id}` };
  return {
    modelId: 'glm-4.6',
    chatCompletionReasoningField: drawn < 0.95 ? 'reasoning' : 'reasoning_content',
    chatCompletionReasoningContent: 'The parser returns undefined for an empty text.',
  };
}

function contentOf(
  index: number,
  role: Message['role'],
  random: RandomStream,
  anyType: boolean,
): Message['content'] {
  const block = {
    type: 'text',
    text: texts[random.between(0, texts.length - 1)] ?? '',
    id: `block-${index}-0`,
  };
  if (!anyType) return [block];
  if (role === 'assistant' && random.next() < 0.5)
    return [
      {
        type: 'thinking',
        id: `block-${index}-1`,
        thinking: 'First the test.',
        signature: 'c2ln',
        signatureProvider: 'a',
      },
      block,
      { type: 'tool_use', id: `call_${index}`, name: 'Read', input: { path: 'src/parser.ts' } },
    ];
  if (role === 'tool') return [{ type: 'tool_result', toolUseId: `call_${index - 1}`, text: block.text }];
  return random.next() < 0.1 ? [] : [block];
}
