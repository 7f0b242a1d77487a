import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StdioClientTransport } from 'sdk-1.32/client/stdio.js';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import type { ClientCase, McpSession, Target } from './mcp-session.ts';
import { installedFile } from './run-program.ts';
import { newClient32, sessionOf } from './typescript-sdk-1.ts';

const MCP_REMOTE = installedFile('mcp-remote/dist/proxy.js');

/** mcp-remote as desktop hosts run it: a command that communicates over standard input and output. */
async function openSession(target: Target, path: string, strategy: string): Promise<McpSession> {
  const { url, key } = target;
  const home = await makeDataDir();
  const browser = await fakeBrowser(home);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      MCP_REMOTE,
      `${url}${path}`,
      '--transport',
      strategy,
      '--header',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote fills it in from its environment.
      'x-api-key:${API_KEY}',
    ],
    env: { HOME: home, API_KEY: key, BROWSER: browser.command },
    stderr: 'pipe',
  });
  const log = text(transport.stderr as Readable);
  const client = newClient32(target);
  const close = async () => {
    await client.close();
    await log;
    const opened = browser.wasOpened();
    await removeDir(home);
    if (opened) throw new Error(`mcp-remote opened a browser: ${await log}`);
  };
  try {
    await client.connect(transport);
  } catch (error) {
    await close();
    throw new Error(`mcp-remote failed: ${await log}`, { cause: error });
  }
  return { ...sessionOf(client), close };
}

/** A substitute browser that only records that it was started. */
async function fakeBrowser(
  dir: string,
): Promise<{ readonly command: string; wasOpened(): boolean }> {
  const command = join(dir, 'browser');
  const trace = join(dir, 'opened');
  await writeFile(command, `#!/bin/sh\necho "$@" >> ${trace}\n`, { mode: 0o755 });
  return { command, wasOpened: () => existsSync(trace) };
}

const CASES: readonly [
  name: string,
  ClientCase['dialect'],
  path: string,
  strategy: 'http-first' | 'sse-only',
][] = [
  ['http-first', 'streamable-http', '/mcp', 'http-first'],
  ['http-first on the SSE address', 'http-sse', '/mcp/sse', 'http-first'],
  ['sse-only', 'http-sse', '/mcp/sse', 'sse-only'],
];

export const MCP_REMOTE_COMMAND: readonly ClientCase[] = CASES.map(
  ([name, dialect, path, strategy]) => ({
    name: `mcp-remote ${name}`,
    dialect,
    hearsChanges: dialect === 'http-sse',
    // On a 401 it looks for a login, and exits with the body that it gets from `POST /register`.
    refusal: /Dynamic Client Registration rejected \(HTTP 404\).*send it as x-api-key/,
    connect: (target) => openSession(target, path, strategy),
  }),
);
