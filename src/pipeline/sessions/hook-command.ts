/** The hook that hands the id of a session on when it ends (platform-api.md §6). */

/** Names of files in a spool: the last part says what they are. */
export const spoolNames = { whole: '.session', begun: '.new', unreadable: '.unreadable' } as const;

/** Bytes of the input that are looked at; the documented input has some hundred. */
const mostInput = 65_536;
/** Seconds that the agent waits at most. */
const timeoutSeconds = 10;

/**
 * Lines of POSIX sh that put the id of the session that they read about into a file below `directory`. They write it under
 * another name, read it back and rename it: a file with its final name is whole. Whatever goes wrong, they end with 0 and
 * say nothing, so that no agent waits for them or fails by them.
 *
 * The file holds the id as the JSON of the input has it, quotes included, and nothing else of the input. In JSON a quote
 * inside of a text has a backslash before it, so that no text can look like the field.
 */
export function hookCommand(directory: string): string {
  const begun = `"$dir/.$name${spoolNames.begun}"`;
  return [
    'exec 2>/dev/null',
    'export LC_ALL=C',
    `dir=${shellWord(directory)}`,
    `id=$({ head -c ${mostInput}; cat >/dev/null; } | tr '\\r\\n' '  ' |`,
    `  sed -n 's/.*[{,[:space:]]"session_id"[[:space:]]*:[[:space:]]*\\("[^"\\]*\\(\\\\.[^"\\]*\\)*"\\).*/\\1/p')`,
    `name=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')-$$`,
    `[ "$id" ] && mkdir -p "$dir" && printf '%s\\n' "$id" >${begun} && [ "$(cat ${begun})" = "$id" ] &&`,
    `  mv ${begun} "$dir/$name${spoolNames.whole}" || rm -f ${begun}`,
    'exit 0',
  ].join('\n');
}

/** The configuration that makes an agent run the command: the documented JSON object. */
export function hookConfiguration(directory: string): object {
  const hook = { type: 'command', command: hookCommand(directory), timeout: timeoutSeconds };
  return { SessionEnd: [{ hooks: [hook] }] };
}

/** A text as one word of a shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
