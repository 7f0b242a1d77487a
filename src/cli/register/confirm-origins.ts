import { createInterface } from 'node:readline';

/** Asks a terminal whether the credential may be sent there. False without a terminal, and for anything but "y". */
export async function confirmOrigins(origins: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    lines
      .once('close', () => resolve(''))
      // The terminal does not translate Ctrl+C meanwhile.
      .once('SIGINT', () => {
        lines.close();
        process.kill(process.pid, 'SIGINT');
      })
      .question(`Send the credential to ${origins.join(' and ')}? [y/N] `, resolve);
  });
  lines.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
