/** Makes completion scripts for shells from the commands. */
import type { Command } from 'commander';

/** A word that a shell offers. */
interface Offer {
  readonly word: string;
  readonly description: string;
  /** Whether a value follows. The shell offers no values. */
  readonly takesValue: boolean;
}

/** A command and the words that may follow it. */
interface Completed {
  readonly name: string;
  readonly description: string;
  readonly offers: readonly Offer[];
}

/** By the name of a shell, the function that makes its completion script. */
export const completionScripts: Readonly<Record<string, (program: Command) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function completedCommands(program: Command): Completed[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.summary(),
    offers: [
      ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((word) => ({ word, description: '', takesValue: false })),
      ),
      ...command.commands.map((below) => wordOf(below)),
      ...onceEach([command, ...command.commands].flatMap(optionsOf)),
    ],
  }));
}

function wordOf(command: Command): Offer {
  return { word: command.name(), description: command.summary(), takesValue: false };
}

/** The offers without duplicates: jobs of a family may have the same options. */
function onceEach(offers: readonly Offer[]): Offer[] {
  return [...new Map(offers.map((offer) => [offer.word, offer])).values()];
}

function optionsOf(command: Command): Offer[] {
  const help = { word: '--help', description: 'display help', takesValue: false };
  const options = command.options.map(({ long, description, required }) => ({
    word: long ?? '',
    description,
    takesValue: required,
  }));
  return [...options, help].filter(({ word }) => word !== '');
}

/** Shell code that finds the command among the words before the cursor; for bash and zsh. */
const findCommand = (words: string) => `local command= word
  for word in ${words}; do
    case "$word" in
      -*) ;;
      *) command=$word; break ;;
    esac
  done`;

function bashScript(program: Command): string {
  const commands = completedCommands(program);
  const before = `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`;
  const wordsOf = (offers: readonly Offer[]) => offers.map(({ word }) => word).join(' ');
  const valued = new Set(
    commands.flatMap(({ offers }) => offers.filter(({ takesValue }) => takesValue).map(({ word }) => word)),
  );
  return `# source <(usage-etl completion bash)
_usage_etl() {
  local offers
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${[...valued].join('|')}) return ;;
  esac
  ${findCommand(before)}
  case "$command" in
${commands.map(({ name, offers }) => `    ${name}) offers='${wordsOf(offers)}' ;;`).join('\n')}
    *) offers='${commands.map(({ name }) => name).join(' ')} ${wordsOf(optionsOf(program))}' ;;
  esac
  COMPREPLY=($(compgen -W "$offers" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _usage_etl usage-etl`;
}

function zshScript(program: Command): string {
  const commands = completedCommands(program);
  const described = (word: string, description: string) =>
    quoted(`${word}:${description.replaceAll(':', '\\:')}`);
  const setsOf = (offers: readonly Offer[]) => {
    const [words, options] = [false, true].map((isOption) =>
      offers
        .filter(({ word }) => word.startsWith('-') === isOption)
        .map(({ word, description }) => described(word, description))
        .join(' '),
    );
    return `words_=(${words}); options_=(${options})`;
  };
  const before = `"\${(@)words[2,CURRENT-1]}"`;
  const names = commands.map(({ name, description }) => ({ word: name, description, takesValue: false }));
  return `#compdef usage-etl
# source <(usage-etl completion zsh)
_usage_etl() {
  local -a words_ options_
  ${findCommand(before)}
  case "$command" in
${commands.map(({ name, offers }) => `    ${name}) ${setsOf(offers)} ;;`).join('\n')}
    *) ${setsOf([...names, ...optionsOf(program)])} ;;
  esac
  _describe command words_
  _describe -o option options_
}
if [ "\${funcstack[1]}" = _usage_etl ]; then _usage_etl "$@"; else compdef _usage_etl usage-etl; fi`;
}

function fishScript(program: Command): string {
  const commands = completedCommands(program);
  const offer = (condition: string, { word, description, takesValue }: Offer) => {
    const what = word.startsWith('--') ? `-l ${word.slice(2)}${takesValue ? ' -x' : ''}` : `-a ${word}`;
    return `complete -c usage-etl -n '${condition}' ${what} -d ${quoted(description)}`;
  };
  return [
    '# usage-etl completion fish | source',
    'complete -c usage-etl -f',
    ...commands.map(({ name, description }) =>
      offer('__fish_use_subcommand', { word: name, description, takesValue: false }),
    ),
    ...optionsOf(program).map((option) => offer('__fish_use_subcommand', option)),
    ...commands.flatMap(({ name, offers }) =>
      offers.map((each) => offer(`__fish_seen_subcommand_from ${name}`, each)),
    ),
  ].join('\n');
}

/** Quotes a text as one word, in a way that bash, zsh and fish understand. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
