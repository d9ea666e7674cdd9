/** The hook that writes the id of a session into the spool when the session ends (platform-api.md §6). */

/** The suffixes of file names in a spool: of complete files, of files being written, and of files without an id. */
export const spoolNames = { whole: '.session', begun: '.new', unreadable: '.unreadable' } as const;

/** Most bytes of the input that the hook reads; the documented input has a few hundred. */
const mostInput = 65_536;
/** The agent waits at most so many seconds for the hook. */
const timeoutSeconds = 10;

/**
 * Lines of POSIX sh that read the id of a session from standard input and write it into a file in `directory`. They write
 * to a temporary name, read the file back and rename it, so a file with its final name is complete. After any error they
 * end with 0 and print nothing, so that the agent does not fail.
 *
 * The file contains only the id, as a JSON text with its quotes. In JSON a quote inside of a text has a backslash before
 * it, so no other text in the input can look like the field.
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

/** The documented JSON object that makes an agent run the command. */
export function hookConfiguration(directory: string): object {
  const hook = { type: 'command', command: hookCommand(directory), timeout: timeoutSeconds };
  return { SessionEnd: [{ hooks: [hook] }] };
}

/** Quotes a text as one word of a shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
