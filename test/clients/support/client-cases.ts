import { AI_SDK } from './ai-sdk.ts';
import { INSPECTOR_CLI } from './inspector.ts';
import { MCP_REMOTE_COMMAND } from './mcp-remote.ts';
import type { ClientCase } from './mcp-session.ts';
import { TYPESCRIPT_CLIENTS } from './typescript-client.ts';
import { TYPESCRIPT_SDK_1 } from './typescript-sdk-1.ts';

/** Every client over each of its transports. */
export const CLIENT_CASES: readonly ClientCase[] = [
  ...TYPESCRIPT_CLIENTS,
  ...TYPESCRIPT_SDK_1,
  ...INSPECTOR_CLI,
  ...MCP_REMOTE_COMMAND,
  ...AI_SDK,
];
