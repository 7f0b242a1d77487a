import { Argument, Command } from 'commander';
import { shellWord } from '../../access/connect/connect-quote.ts';

/** A word that may come next, and what it means. */
interface Suggestion {
  readonly word: string;
  readonly description: string;
}

/** An option that is followed by a value. */
interface ValueOption {
  readonly flag: string;
  /** Empty if any value may follow: then shells complete names of files. */
  readonly choices: readonly string[];
}

/** What may follow a command, or a group of commands. */
interface CommandNode {
  /** The words after the name of the program, such as ` keys create`; empty for the program itself. */
  readonly path: string;
  readonly suggestions: readonly Suggestion[];
  readonly valueOptions: readonly ValueOption[];
}

/** Every command of a program, groups before their commands. Options of the program may follow every command. */
export function commandTree(program: Command): readonly CommandNode[] {
  return nodesOf(program, '', program);
}

function nodesOf(command: Command, path: string, program: Command): CommandNode[] {
  const options = [...new Set([...command.options, ...program.options])].filter(
    ({ long, hidden }) => !hidden && (command === program || long !== '--version'),
  );
  return [
    {
      path,
      suggestions: [
        ...command.commands.map((child) => suggest(child.name(), child.description())),
        ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
          argChoices.map((choice) => suggest(choice, description)),
        ),
        ...options.map((option) => suggest(option.long ?? option.flags, option.description)),
        suggest('--help', 'explain the command'),
      ],
      valueOptions: options
        .filter(({ required, optional }) => required || optional)
        .map(({ long, argChoices: choices = [] }) => ({ flag: long ?? '', choices })),
    },
    ...command.commands.flatMap((child) => nodesOf(child, `${path} ${child.name()}`, program)),
  ];
}

/** Shells show a description on one line. */
const suggest = (word: string, description: string): Suggestion => ({
  word,
  description: description.replaceAll(/\s+/g, ' '),
});

/** What `case` of bash compares a command with; the program itself is not among them. */
const casePattern = (nodes: readonly CommandNode[]): string =>
  nodes
    .slice(1)
    .map(({ path }) => shellWord(path))
    .join(' | ');

/** A script that completes the commands in fish 3.4 and newer. */
const fishCompletion = (nodes: readonly CommandNode[]): string => `\
function __tool_gateway_command
    set -l command ''
    for word in (commandline -opc)[2..]
        switch "$command $word"
            case ${nodes
              .slice(1)
              .map(({ path }) => quote(path))
              .join(' ')}
                set command "$command $word"
        end
    end
    test "$command" = "$argv"
end
complete -c tool-gateway -e
${nodes.flatMap(completions).join('\n')}
`;

function completions({ path, suggestions, valueOptions }: CommandNode): string[] {
  const condition = `-n ${quote(`__tool_gateway_command ${quote(path)}`)}`;
  const values = new Map(valueOptions.map(({ flag, choices }) => [flag, choices]));
  return suggestions.map(({ word, description }) => {
    const choices = values.get(word);
    const option = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
    const value = choices && (choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : ' -r');
    return `complete -c tool-gateway ${condition} ${option}${value ?? ''} -d ${quote(description)}`;
  });
}

/** A word of fish, which has two escapes between single quotes. */
const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

/** A script that completes the commands in bash 3.2 and newer. */
const bashCompletion = (nodes: readonly CommandNode[]): string => `\
_tool_gateway() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
      ${casePattern(nodes)}) command="$command \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
${nodes.flatMap(valueCases).join('\n')}
    *)
      case "$command" in
${nodes.map(wordCase).join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _tool_gateway tool-gateway
`;

const wordCase = ({ path, suggestions }: CommandNode): string =>
  `        ${shellWord(path)}) words=${wordList(suggestions.map(({ word }) => word))} ;;`;

const valueCases = ({ path, valueOptions }: CommandNode): string[] =>
  valueOptions.map(
    ({ flag, choices }) => `    ${shellWord(`${path} ${flag}`)}) words=${wordList(choices)} ;;`,
  );

const wordList = (words: readonly string[]): string => shellWord(words.join(' '));

/** zsh reads the script of bash. */
const zshCompletion = (nodes: readonly CommandNode[]): string =>
  `autoload -U +X bashcompinit && bashcompinit\n${bashCompletion(nodes)}`;

const SCRIPTS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Readonly<Record<string, (nodes: readonly CommandNode[]) => string>>;

/** Its scripts name the commands of the program to which it is added. */
export const completionCommand = (): Command =>
  new Command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(tool-gateway completion bash)    # in ~/.bashrc
  source <(tool-gateway completion zsh)     # in ~/.zshrc, after compinit
  tool-gateway completion fish > ~/.config/fish/completions/tool-gateway.fish`,
    )
    .action((shell: keyof typeof SCRIPTS, _options: unknown, { parent }: Command) => {
      if (parent) process.stdout.write(SCRIPTS[shell](commandTree(parent)));
    });
