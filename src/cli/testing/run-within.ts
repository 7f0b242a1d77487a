import { runCli } from '../cli.ts';

/** Runs a command line in this process. */
export async function runWithin(
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text) => {
      written[name] += String(text);
      return true;
    };
  }
  try {
    return { code: await runCli(['node', 'tool-gateway', ...args]), ...written };
  } finally {
    process.stdout.write = originals.stdout;
    process.stderr.write = originals.stderr;
  }
}
