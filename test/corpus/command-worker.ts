import { runCli } from '../../src/cli/cli.ts';
import type { CommandEnding, CommandLine } from './command-line.ts';

// Runs command lines one after another: a process for each would take most of the corpus's time.
process.on('message', async (line: CommandLine) => {
  process.send?.(await run(line));
});

async function run({ args, env }: CommandLine): Promise<CommandEnding> {
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  Object.assign(process.env, env);
  const code = await runCli([process.execPath, 'tool-gateway', ...args]);
  for (const name of Object.keys(env)) delete process.env[name];
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Captures everything written from now on. The function returned ends the capture and returns the output. */
function capture(stream: NodeJS.WriteStream): () => string {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array): boolean => {
    text += chunk.toString();
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}
