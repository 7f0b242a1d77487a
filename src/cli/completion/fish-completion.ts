import type { CommandNode } from './command-tree.ts';

/** A script that completes the commands in fish 3.4 and newer. */
export const fishCompletion = (nodes: readonly CommandNode[]): string => `\
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
