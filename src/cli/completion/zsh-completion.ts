import { shellWord } from '../../access/connect/connect-quote.ts';
import { type CommandNode, casePattern } from './command-tree.ts';

/** A script that completes the commands in zsh: read with `source`, or stored as `_tool-gateway` in a directory of fpath. */
export const zshCompletion = (nodes: readonly CommandNode[]): string => `\
#compdef tool-gateway
_tool_gateway() {
  local command='' i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$command $words[i]" in
      (${casePattern(nodes)}) command="$command $words[i]" ;;
    esac
  done
  case "$command $words[CURRENT-1]" in
${nodes.flatMap(valueCases).join('\n')}
    (*)
      case "$command" in
${nodes.map(wordCase).join('\n')}
      esac ;;
  esac
  _describe 'tool-gateway' found || _files
}
if [ "$funcstack[1]" = '_tool-gateway' ]; then
  _tool_gateway "$@"
else
  compdef _tool_gateway tool-gateway
fi
`;

const wordCase = ({ path, suggestions }: CommandNode): string =>
  [
    `        (${shellWord(path)}) found=(`,
    ...suggestions.map(
      ({ word, description }) =>
        `          ${shellWord(`${word}:${description.replaceAll(':', '\\:')}`)}`,
    ),
    '        ) ;;',
  ].join('\n');

const valueCases = ({ path, valueOptions }: CommandNode): string[] =>
  valueOptions.map(
    ({ flag, choices }) =>
      `    (${shellWord(`${path} ${flag}`)}) found=(${choices.map(shellWord).join(' ')}) ;;`,
  );
