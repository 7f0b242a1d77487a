import { shellWord } from '../../access/connect/connect-quote.ts';
import { type CommandNode, casePattern } from './command-tree.ts';

/** A script that completes the commands in bash 3.2 and newer. */
export const bashCompletion = (nodes: readonly CommandNode[]): string => `\
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
