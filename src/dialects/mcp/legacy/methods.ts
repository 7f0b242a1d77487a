import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { encodeResponse, type RpcMessage } from '../../json-rpc/json-rpc.ts';
import type { Methods } from '../../json-rpc/methods.ts';
import { type CodeMethodDeps, createCodeMethods } from '../shared/code-methods.ts';
import { decodeMcpMessage, nameOf } from '../shared/decode.ts';
import type { DialectName } from '../shared/detect-dialect.ts';
import type { McpEncoding, SchemaForm } from '../shared/encode.ts';
import { LEGACY_REVISIONS, legacyRevision, type Revision } from '../shared/revisions.ts';
import { SERVER_INFO } from '../shared/server-info.ts';
import { createToolMethods, type ToolMethodDeps } from '../shared/tool-methods.ts';
import { toListedTool } from '../shared/tool-pages.ts';

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

/** `title` of a tool was added in 2025-06-18; older clients ignore it. */
function toTool(entry: CatalogEntry, form: SchemaForm): object {
  const tool = toListedTool(entry, form);
  return { ...tool, annotations: { ...tool.annotations, title: tool.title } };
}

/** How the revisions from 2024-11-05 to 2025-11-25 encode results. */
export const LEGACY_ENCODING: McpEncoding = {
  toTool,
  cached: {},
  other: {},
  callMembers: (meta) => `,"_meta":{${meta}}`,
};

/**
 * Decodes one message; null for a response, which needs no processing because the gateway sends no requests. Throws
 * `invalid_request`.
 */
export const decodeLegacyMessage = (value: unknown): RpcMessage | null =>
  isResponse(value) ? null : decodeMcpMessage(value);

const isResponse = (value: unknown): boolean =>
  isObject(value) &&
  value['jsonrpc'] === '2.0' &&
  value['method'] === undefined &&
  (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));

/** The client's name, from the parameters of `initialize`. */
export const clientNameOf = (params: unknown): string | undefined =>
  nameOf(isObject(params) ? params['clientInfo'] : undefined);
