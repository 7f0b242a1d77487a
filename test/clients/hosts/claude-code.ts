import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Environment,
  installedFile,
  type ProgramResult,
  runCommand,
} from '../support/run-program.ts';
import { ANTHROPIC_MESSAGES } from './anthropic-messages.ts';
import { type Host, OFFLINE, type Place } from './host.ts';
import { SERVER } from './model-wire.ts';

/** The directory of Claude Code's program; npm installs the package for this platform only. */
export async function claudeDirectory(): Promise<string> {
  const scope = installedFile('@anthropic-ai');
  const name = (await readdir(scope)).find((entry) => entry.startsWith('claude-code-'));
  if (name) return join(scope, name);
  throw new Error(`Claude Code has no program for ${process.platform}-${process.arch}.`);
}

/** Of its own accord it contacts nobody, and it connects to MCP servers before the first question. */
export const claudeEnvironment = (home: string): Environment => ({
  ...OFFLINE,
  HOME: home,
  TMPDIR: home,
  CLAUDE_CONFIG_DIR: home,
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  MCP_CONNECTION_NONBLOCKING: '0',
});

const configOf = ({ address, key }: Place): object => ({
  mcpServers: { [SERVER]: { type: 'http', url: address, headers: { 'x-api-key': key } } },
});

/** Asks a question, for which only the gateway's tools may be called. */
export async function askClaude(
  { home, modelUrl }: Place,
  options: readonly string[] = [],
  env: Environment = {},
): Promise<ProgramResult> {
  return runCommand(
    [
      join(await claudeDirectory(), 'claude'),
      '--print',
      'How is the weather?',
      ...options,
      ...['--allowedTools', `mcp__${SERVER}`],
    ],
    {
      ...claudeEnvironment(home),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'scripted',
      ...env,
    },
    home,
  );
}

export const CLAUDE_CODE: Host = {
  name: 'Claude Code',
  wire: ANTHROPIC_MESSAGES,
  run: async (place) => {
    const config = join(place.home, 'mcp.json');
    await writeFile(config, JSON.stringify(configOf(place)));
    return askClaude(place, ['--strict-mcp-config', '--mcp-config', config]);
  },
};
