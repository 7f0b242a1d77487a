import { GatewayError } from '../../../platform/kernel/error.ts';
import { invalidArguments } from '../../../platform/kernel/invalid-arguments.ts';
import { isObject, own, ownObject } from '../../../platform/kernel/plain-json.ts';
import { DOOR_LIMITS } from '../../door/own-tools.ts';

/** The addresses of codes as resources. */
export const CODE_TEMPLATE = 'codes://{kind}/{name}';

/** Characters of one address: a name of 100 characters, percent-encoded. */
const MAX_ADDRESS_LENGTH = 1000;

const ADDRESS = /^codes:\/\/([^/]+)\/(.+)$/s;

/** A code by the variables of the template. */
export interface CodeAddress {
  readonly kind: string;
  readonly name: string;
}

/** Decodes the parameters of `resources/read`. Throws `invalid_arguments`. */
export function decodeAddress(params: unknown): CodeAddress & { readonly uri: string } {
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

/** The text to complete. */
export interface CompletionRequest {
  readonly argument: keyof CodeAddress;
  readonly value: string;
  /** The kind that was chosen before. */
  readonly kind: string | undefined;
}

/** Decodes the parameters of `completion/complete`. Throws `invalid_arguments`. */
export function decodeCompletion(params: unknown, kinds: readonly string[]): CompletionRequest {
  const request = isObject(params) ? params : {};
  const ref = ownObject(request, 'ref');
  if (ref['type'] !== 'ref/resource' || ref['uri'] !== CODE_TEMPLATE) {
    refuse('/ref', `must be {"type": "ref/resource", "uri": "${CODE_TEMPLATE}"}.`);
  }
  const { name: argument, value } = ownObject(request, 'argument');
  if (argument !== 'kind' && argument !== 'name') refuse('/argument/name', 'must be kind or name.');
  if (typeof value !== 'string' || value.length > DOOR_LIMITS.codeTextCharacters) {
    const most = DOOR_LIMITS.codeTextCharacters;
    refuse('/argument/value', `must be a string of at most ${most} characters.`);
  }
  const kind = own(ownObject(ownObject(request, 'context'), 'arguments'), 'kind');
  return { argument, value, kind: kind === undefined ? undefined : knownKind(kind, kinds) };
}

const knownKind = (kind: unknown, kinds: readonly string[]): string =>
  kinds.find((known) => known === kind) ??
  refuse('/context/arguments/kind', `is unknown. Available: ${kinds.join(', ')}.`);

function refuse(path: string, message: string): never {
  throw invalidArguments('completion/complete', [{ path, message }]);
}
