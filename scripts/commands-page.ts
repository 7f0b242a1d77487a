import type { Command } from 'commander';
import { createProgram } from '../src/cli/cli.ts';
import { table } from './catalogue/markdown.ts';

/** docs/commands.md: every command with its options, from the commands themselves. */
export async function commandsPage(): Promise<string> {
  const rows = commandsBelow(await createProgram()).map(({ words, command }) => [
    `\`${[...words, ...command.registeredArguments.map(argumentOf)].join(' ')}\``,
    command.options
      .filter(isListed(command))
      .map(({ flags }) => `\`${flags}\``)
      .join(', '),
    command.description(),
  ]);
  return `# Commands

\`tool-gateway <command>\`; from a checkout, \`npm run -s cli -- <command>\`. \`--help\` after any command explains its options and shows an example. Commands that send requests to a gateway, those with \`--url\`, also take \`--key\`, and for management \`--allow-http\`. [The contract](contract.md#command-line) says where a command runs, what it prints and how it ends.

${table(['Command', 'Options', 'What it does'], rows)}
`;
}

interface FoundCommand {
  readonly words: readonly string[];
  readonly command: Command;
}

/** The commands that can be run, in the order of the help. */
const commandsBelow = (command: Command, words: readonly string[] = []): FoundCommand[] =>
  command.commands.length === 0
    ? [{ words, command }]
    : command.commands.flatMap((child) => commandsBelow(child, [...words, child.name()]));

type Argument = Command['registeredArguments'][number];

const argumentOf = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** `--key` of a command without `--url` is a filter. */
const isListed =
  ({ options }: Command) =>
  ({ hidden, long }: Command['options'][number]): boolean =>
    !hidden &&
    long !== '--allow-http' &&
    !(long === '--key' && options.some((option) => option.long === '--url' && !option.hidden));
