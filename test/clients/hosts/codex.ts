import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectSnippet } from '../../../src/access/connect/connect-clients.ts';
import { installedFile, runProgram } from '../support/run-program.ts';
import { type Host, OFFLINE, type Place } from './host.ts';
import { OPENAI_RESPONSES } from './openai-responses.ts';

/** Replaces itself with the binary for this platform, or says that it is missing. */
const CODEX = installedFile('@openai/codex/bin/codex.js');

/** What `connect codex` prints is its connection. `required` makes Codex wait for the gateway, and end without it. */
const configOf = ({ modelUrl, address, key }: Place): string => `
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
${connectSnippet('codex', { url: 'GATEWAY', key, command: ['node'] }).replace('GATEWAY/mcp', address)}
required = true
`;

export const CODEX_EXEC: Host = {
  name: 'Codex',
  wire: OPENAI_RESPONSES,
  run: async (place) => {
    const { home } = place;
    await writeFile(join(home, 'config.toml'), configOf(place));
    const args = ['exec', '--strict-config', '--skip-git-repo-check', 'How is the weather?'];
    return runProgram([CODEX, ...args], { ...OFFLINE, HOME: home, CODEX_HOME: home }, home);
  },
};
