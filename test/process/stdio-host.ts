import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { collectOutput } from '../support/collect-output.ts';
import { cleanEnvironment } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** A message on standard output of the bridge, with the members that tests read. */
export interface BridgeMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results whose shape is under test.
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same holds for the parameters of notifications.
  readonly params?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A program that starts `tool-gateway stdio`, as MCP hosts do. */
export interface StdioHost {
  /** Writes lines; values other than strings are encoded as JSON. */
  send(...lines: readonly unknown[]): void;
  /** Resolves with the response to a request. */
  responseTo(id: string | number | null): Promise<BridgeMessage>;
  /** Every line of standard output so far. Throws on a line that is not JSON. */
  messages(): BridgeMessage[];
  stderr(): string;
  /** Pauses and resumes reading of standard output. */
  pause(): void;
  resume(): void;
  /** Closes standard input. */
  end(): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

/** Runs the bridge until the current test ends. */
export function startBridge(url: string, key: string, args: readonly string[] = []): StdioHost {
  const child = spawn(process.execPath, [MAIN, 'stdio', '--url', url, ...args], {
    env: cleanEnvironment({ TOOL_GATEWAY_API_KEY: key }),
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const stdout = collectOutput(child.stdout);
  const stderr = collectOutput(child.stderr);
  const messages = (): BridgeMessage[] =>
    stdout()
      .slice(0, stdout().lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const find = (id: string | number | null) =>
    messages().find((message) => message.id === id && message.method === undefined);
  return {
    send: (...lines) => {
      for (const line of lines) {
        child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
      }
    },
    responseTo: async (id) => {
      await until(() => find(id) !== undefined);
      return find(id) ?? {};
    },
    messages,
    stderr,
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code]) => code),
  };
}
