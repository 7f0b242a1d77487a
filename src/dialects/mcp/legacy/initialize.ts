import { isObject } from '../../../platform/kernel/plain-json.ts';
import { INSTRUCTIONS, SERVER_INFO } from '../shared/server-info.ts';

/** Revisions with `initialize`, oldest first. */
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

const LATEST = '2025-11-25';

/** The first revision that declares completions; the method itself is older. */
const COMPLETIONS_SINCE = '2025-03-26';

/** The revision of a request that does not name one (MCP 2025-06-18, "Protocol Version Header"). */
export const DEFAULT_REVISION = '2025-03-26';

export const isRevision = (text: string): boolean =>
  (REVISIONS as readonly string[]).includes(text);

/**
 * The result of `initialize`: the requested revision if it is supported, otherwise the latest one.
 * `announcesChanges` requires a stream on which to announce changes of the list.
 */
export function initialize(params: unknown, announcesChanges: boolean): object {
  const requested = isObject(params) ? params['protocolVersion'] : undefined;
  const protocolVersion =
    typeof requested === 'string' && isRevision(requested) ? requested : LATEST;
  return {
    protocolVersion,
    capabilities: {
      tools: { listChanged: announcesChanges },
      resources: {},
      ...(protocolVersion < COMPLETIONS_SINCE ? {} : { completions: {} }),
    },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  };
}
