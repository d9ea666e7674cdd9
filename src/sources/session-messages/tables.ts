import {
  codePoints,
  codePointsOfAll,
  listLength,
  position,
  textIfKept,
  textsIfKept,
  withParts,
} from '../../model/derivations.ts';
import { derived, derivedCount, privately, reference, rowsOf, table, values } from '../../model/table.ts';
import { model } from '../dimensions.ts';

/** Grain: organization × session × message × block. */
const factSessionContentBlock = table('fact_session_content_block', {
  keys: [derived('block_index', 'integer', [], position)],
  columns: [...values({ block_type: 'type' }), derivedCount('char_count', ['text'], codePoints)],
});

/** Grain: organization × session × message × index. Commands and results of hooks come as parallel lists. */
const factSessionHookResult = table('fact_session_hook_result', {
  keys: [derived('result_index', 'integer', [], position)],
  columns: [
    privately(derived('command', 'text', ['command'], textIfKept)),
    ...values({ timeout_seconds: 'timeout', exit_code: 'exitCode' }),
    derivedCount('stdout_char_count', ['stdout'], codePoints),
    derivedCount('stderr_char_count', ['stderr'], codePoints),
    ...values({ suppress_output: 'suppressOutput' }),
  ],
});

/** Grain: organization × session × message. */
export const factSessionMessage = table('fact_session_message', {
  keys: values({ message_id: 'id' }),
  columns: [
    ...values('role', {
      created_at: 'createdAt',
      updated_at: 'updatedAt',
      parent_id: 'parentId',
      user_message_source: 'userMessageSource',
    }),
    ...values('visibility'),
    { ...reference(model, ['modelId']), derive: withParts('unknown') },
    ...values({
      reasoning_effort: 'reasoningEffort',
      is_error: 'isError',
      is_user_visible: 'isUserVisible',
      hidden_from_user_views: 'hiddenFromUserViews',
      is_parallel_execution: 'isParallelExecution',
      parallel_group_id: 'parallelGroupId',
      hook_event_name: 'hookEventName',
      hook_matcher: 'hookMatcher',
      hook_status: 'hookStatus',
      hook_started_at: 'hookStartTime',
      hook_finished_at: 'hookEndTime',
    }),
    derivedCount('content_block_count', ['content'], listLength),
    derivedCount('content_char_count', ['content'], codePointsOfAll('text')),
    privately(derived('content_text', 'text', ['content'], textsIfKept('text'))),
  ],
  below: [
    rowsOf('content', factSessionContentBlock),
    rowsOf(['hookCommands', 'hookResults'], factSessionHookResult, { mayBeAbsent: true }),
  ],
});
