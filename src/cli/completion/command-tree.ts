import type { Command } from 'commander';
import { shellWord } from '../../access/connect/connect-quote.ts';

/** A word that may come next, and what it means. */
export interface Suggestion {
  readonly word: string;
  readonly description: string;
}

/** An option that is followed by a value. */
export interface ValueOption {
  readonly flag: string;
  /** Empty if any value may follow: then shells complete names of files. */
  readonly choices: readonly string[];
}

/** What may follow a command, or a group of commands. */
export interface CommandNode {
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

/** What `case` of bash and zsh compares a command with; the program itself is not among them. */
export const casePattern = (nodes: readonly CommandNode[]): string =>
  nodes
    .slice(1)
    .map(({ path }) => shellWord(path))
    .join(' | ');
