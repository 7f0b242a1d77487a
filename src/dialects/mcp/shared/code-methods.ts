import { GatewayError, invalidArguments } from '../../../platform/kernel/error.ts';
import { isObject, own, ownObject } from '../../../platform/kernel/plain-json.ts';
import type { CodeFinder } from '../../gateway-tools/code-finder.ts';
import { completeKind, completeName } from '../../gateway-tools/complete-code.ts';
import { GATEWAY_TOOL_LIMITS } from '../../gateway-tools/gateway-tools.ts';
import { encodeResponse } from '../../json-rpc/json-rpc.ts';
import type { Method } from '../../json-rpc/methods.ts';
import type { McpEncoding } from './encode.ts';

export const RESOURCES_READ = 'resources/read';

/** The addresses of codes as resources. */
const CODE_TEMPLATE = 'codes://{kind}/{name}';

/** Characters of one address: a name of 100 characters, percent-encoded. */
const MAX_ADDRESS_LENGTH = 1000;

const ADDRESS = /^codes:\/\/([^/]+)\/(.+)$/s;

const JSON_TYPE = 'application/json';

const templateOf = ({ kindNote }: CodeFinder) => ({
  uriTemplate: CODE_TEMPLATE,
  name: 'codes',
  title: 'Codes',
  description: [
    'Codes that tools take as arguments, by kind and name (Korean or English): the rows of find_code.',
    ...(kindNote === undefined ? [] : [kindNote]),
  ].join(' '),
  mimeType: JSON_TYPE,
});

export interface CodeMethodDeps {
  readonly codes: CodeFinder;
}

/** The codes of `find_code` as resources, and the completion of their addresses, with the names of the methods. */
export const createCodeMethods = (
  { codes }: CodeMethodDeps,
  { cached, other }: McpEncoding,
): readonly (readonly [string, Method])[] => [
  ['resources/list', ({ id }) => encodeResponse(id, { resources: [], ...cached })],
  [
    'resources/templates/list',
    ({ id }) => encodeResponse(id, { resourceTemplates: [templateOf(codes)], ...cached }),
  ],
  [
    RESOURCES_READ,
    async ({ id, params }) => {
      const { uri, kind, name } = decodeAddress(params);
      const text = JSON.stringify(await codes.find({ kind, text: name }));
      return encodeResponse(id, { contents: [{ uri, mimeType: JSON_TYPE, text }], ...cached });
    },
  ],
  [
    'completion/complete',
    async ({ id, params }) => {
      const { argument, value, kind } = decodeCompletion(params, codes.kinds);
      const completion =
        argument === 'kind' ? completeKind(codes, value) : await completeName(codes, value, kind);
      return encodeResponse(id, { completion, ...other });
    },
  ],
];

/** Decodes the parameters of `resources/read`. Throws `invalid_arguments`. */
function decodeAddress(params: unknown) {
  const uri = isObject(params) ? params['uri'] : undefined;
  if (typeof uri === 'string' && uri.length <= MAX_ADDRESS_LENGTH) {
    const [, kind, name] = ADDRESS.exec(uri) ?? [];
    const decoded = name === undefined ? undefined : decodeName(name);
    if (kind !== undefined && decoded !== undefined) return { uri, kind, name: decoded };
  }
  throw new GatewayError(
    'invalid_arguments',
    `resources/read: /uri must be an address such as codes://district/Gangnam-gu (${CODE_TEMPLATE}), of at most ${MAX_ADDRESS_LENGTH} characters. completion/complete lists kinds and names.`,
  );
}

function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/**
 * Decodes the parameters of `completion/complete`: the text to complete, and the kind that was chosen before. Throws
 * `invalid_arguments`.
 */
function decodeCompletion(params: unknown, kinds: readonly string[]) {
  const request = isObject(params) ? params : {};
  const ref = ownObject(request, 'ref');
  if (ref['type'] !== 'ref/resource' || ref['uri'] !== CODE_TEMPLATE) {
    refuse('/ref', `must be {"type": "ref/resource", "uri": "${CODE_TEMPLATE}"}.`);
  }
  const { name: argument, value } = ownObject(request, 'argument');
  if (argument !== 'kind' && argument !== 'name') refuse('/argument/name', 'must be kind or name.');
  const most = GATEWAY_TOOL_LIMITS.codeTextCharacters;
  if (typeof value !== 'string' || value.length > most) {
    refuse('/argument/value', `must be a string of at most ${most} characters.`);
  }
  const kind = own(ownObject(ownObject(request, 'context'), 'arguments'), 'kind');
  return { argument, value, kind: kind == null ? undefined : knownKind(kind, kinds) };
}

const knownKind = (kind: unknown, kinds: readonly string[]): string =>
  kinds.find((known) => known === kind) ??
  refuse('/context/arguments/kind', `is unknown. Available: ${kinds.join(', ')}.`);

function refuse(path: string, message: string): never {
  throw invalidArguments('completion/complete', [{ path, message }]);
}
