import { isObject } from '../../../platform/kernel/plain-json.ts';
import { encodeResponse } from '../../json-rpc/encode.ts';
import type { Methods } from '../../json-rpc/methods.ts';
import { type CodeMethodDeps, createCodeMethods } from '../shared/code-methods.ts';
import type { DialectName } from '../shared/detect-dialect.ts';
import { LEGACY_REVISIONS, legacyRevision, type Revision } from '../shared/revisions.ts';
import { SERVER_INFO } from '../shared/server-info.ts';
import { createToolMethods, type ToolMethodDeps } from '../shared/tool-methods.ts';
import { LEGACY_ENCODING } from './encode.ts';

/** The transport whose clients have a stream on which the gateway announces changes of the list. */
const ANNOUNCING: DialectName = 'http-sse';

/** For a client that asks for an unknown revision. */
const LATEST = LEGACY_REVISIONS.at(-1) as Revision;

/** The result of `initialize`: the requested revision if it is supported, otherwise the latest one. */
export function initialize(params: unknown, dialect: string, instructions: string): object {
  const requested = isObject(params) ? (params['protocolVersion'] ?? null) : null;
  const revision = legacyRevision(requested) ?? LATEST;
  return {
    protocolVersion: revision.date,
    capabilities: {
      tools: { listChanged: dialect === ANNOUNCING },
      resources: {},
      ...(revision.completions ? { completions: {} } : {}),
    },
    serverInfo: SERVER_INFO,
    instructions,
  };
}

/** The methods of the revisions from 2024-11-05 to 2025-11-25, for both transports. */
export const createLegacyMethods = (deps: ToolMethodDeps & CodeMethodDeps): Methods =>
  new Map([
    [
      'initialize',
      ({ id, params }, { dialect }) =>
        encodeResponse(id, initialize(params, dialect, deps.instructions())),
    ],
    ['ping', ({ id }) => encodeResponse(id, {})],
    ...createToolMethods(deps, LEGACY_ENCODING),
    ...createCodeMethods(deps, LEGACY_ENCODING),
  ]);
