import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectSnippet } from '../../../src/access/connect/connect-clients.ts';
import {
  type Environment,
  installedFile,
  type ProgramResult,
  runProgram,
} from '../support/run-program.ts';
import { type Host, OFFLINE, type Place } from './host.ts';
import { SERVER } from './model-wire.ts';
import { OPENAI_RESPONSES } from './openai-responses.ts';

/** Replaces itself with the binary for this platform, or says that it is missing. */
const CODEX = installedFile('@openai/codex/bin/codex.js');

/** The settings of a new home. Tokens are kept in a file of it, and not in a keychain. */
export const codexSettings = (modelUrl: string): string => `
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
check_for_update_on_startup = false
mcp_oauth_credentials_store = "file"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
`;

/** What `connect codex` prints is its connection. */
const connectionOf = ({ address, key }: Place): string =>
  connectSnippet('codex', { url: 'GATEWAY', key, command: ['node'] }).replace(
    'GATEWAY/mcp',
    address,
  );

/** Asks a question. `required` makes Codex wait for the gateway, and end without it. */
export const askCodex = (home: string, env: Environment = {}): Promise<ProgramResult> =>
  runCodex(
    home,
    [
      'exec',
      '--strict-config',
      ...['--config', `mcp_servers.${SERVER}.required=true`],
      '--skip-git-repo-check',
      'How is the weather?',
    ],
    env,
  );

export const runCodex = (
  home: string,
  args: readonly string[],
  env: Environment = {},
): Promise<ProgramResult> =>
  runProgram([CODEX, ...args], { ...OFFLINE, HOME: home, CODEX_HOME: home, ...env }, home);

export const CODEX_EXEC: Host = {
  name: 'Codex',
  wire: OPENAI_RESPONSES,
  run: async (place) => {
    const settings = `${codexSettings(place.modelUrl)}${connectionOf(place)}`;
    await writeFile(join(place.home, 'config.toml'), settings);
    return askCodex(place.home);
  },
};
