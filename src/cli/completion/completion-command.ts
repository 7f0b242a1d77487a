import { Argument, Command } from 'commander';
import { bashCompletion } from './bash-completion.ts';
import { type CommandNode, commandTree } from './command-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

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
