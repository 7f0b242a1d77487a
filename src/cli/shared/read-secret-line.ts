import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { StartupError } from '../../platform/kernel/error.ts';

const LINE_FEED = 0x0a;

/** What is read, and how it may look. */
export interface SecretPrompt {
  /** What a terminal asks for. */
  readonly label: string;
  /** Largest line, in bytes. */
  readonly maxBytes: number;
}

/**
 * Reads one line from standard input; a terminal is asked and does not show it. Undefined if the input is empty. Throws
 * StartupError for a line that is too long.
 */
export const readSecretLine = ({ label, maxBytes }: SecretPrompt): Promise<string | undefined> =>
  process.stdin.isTTY ? askWithoutEcho(`${label}: `) : readFirstLine(process.stdin, maxBytes);

/** Undefined for an empty input, as `/dev/null` is. */
export async function readFirstLine(
  input: Readable,
  maxBytes: number,
): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const end = chunk.indexOf(LINE_FEED);
    pieces.push(end < 0 ? chunk : chunk.subarray(0, end + 1));
    size += chunk.length;
    if (end >= 0 || size > maxBytes) break;
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length > maxBytes) {
    throw new StartupError(
      `The credential on standard input has more than ${maxBytes} bytes. Write only the credential, as one line.`,
    );
  }
  return bytes.length === 0 ? undefined : bytes.toString('utf8').replace(/\r?\n$/, '');
}

/** Undefined if the input ends, as by Ctrl+D. */
async function askWithoutEcho(prompt: string): Promise<string | undefined> {
  // With `terminal`, readline switches off the echo of the terminal and echoes to its output itself.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: nowhere,
    terminal: true,
    historySize: 0,
  });
  process.stderr.write(prompt);
  const line = await new Promise<string | undefined>((resolve) => {
    lines
      .once('line', resolve)
      .once('close', () => resolve(undefined))
      // The terminal does not translate Ctrl+C meanwhile.
      .once('SIGINT', () => {
        lines.close();
        process.kill(process.pid, 'SIGINT');
      });
  });
  lines.close();
  process.stderr.write('\n');
  return line;
}
