import { MAX_NAME_LENGTH } from '../../json-rpc/call-context.ts';
import { isObject } from '../../json-rpc/json-rpc.ts';
import { INSTRUCTIONS, SERVER_INFO } from '../shared/server-info.ts';

/** Revisions that begin with `initialize`, oldest first. */
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

const LATEST = '2025-11-25';

/** The revision of a request that names none (MCP 2025-06-18, "Protocol Version Header"). */
export const UNNAMED_REVISION = '2025-03-26';

export const isRevision = (text: string): boolean =>
  (REVISIONS as readonly string[]).includes(text);

/**
 * The result of `initialize`: the revision the client asked for where we speak it, else our latest one.
 * `announcesChanges` only where there is a stream on which the list's changes can be told.
 */
export function initialize(params: unknown, announcesChanges: boolean): object {
  const wanted = isObject(params) ? params['protocolVersion'] : undefined;
  return {
    protocolVersion: typeof wanted === 'string' && isRevision(wanted) ? wanted : LATEST,
    capabilities: { tools: { listChanged: announcesChanges } },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  };
}

/** What the client calls itself, cut short. */
export function clientNameOf(params: unknown): string | undefined {
  const info = isObject(params) ? params['clientInfo'] : undefined;
  const name = isObject(info) ? info['name'] : undefined;
  // Copied: a slice would keep the whole text in memory for as long as a session lasts.
  return typeof name === 'string'
    ? Buffer.from(name.slice(0, MAX_NAME_LENGTH)).toString()
    : undefined;
}
