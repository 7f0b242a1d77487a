import { Argument, Command } from 'commander';
import { shellWord } from '../../access/connect/connect-quote.ts';
import { type CommandNode, casePattern, commandTree } from './command-tree.ts';
import { zshCompletion } from './zsh-completion.ts';

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
  local word="\${COMP_WORDS[COMP_CWORD]}" path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${casePattern(nodes)}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${nodes.flatMap(valueCases).join('\n')}
    *)
      case "$path" in
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
