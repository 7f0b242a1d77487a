import type { ParameterBinding, ParameterLocation } from '../model.ts';
import { isObject, type JsonObject, type Located, own, ownText, pointerTo } from '../plain-json.ts';
import type { CompileContext } from './compile-context.ts';
import { isHttpToken, isReservedHeader } from './http-names.ts';

/** A secret and where it goes, or the reason why there is none. */
type SchemeResult = ParameterBinding | string;

/**
 * The credentials of an operation. Of several alternatives the first whose every scheme has a secret is taken; if
 * there is none, a strict document is at fault and a stranger's is called without, until its owner supplies one.
 */
export function compileSecurity(
  operation: Located<JsonObject>,
  context: CompileContext,
): ParameterBinding[] {
  const ofOperation = own(operation.value, 'security');
  const requirements = ofOperation ?? own(context.root, 'security');
  const pointer = ofOperation === undefined ? '/security' : `${operation.pointer}/security`;
  if (!Array.isArray(requirements) || requirements.length === 0) return [];
  const reasons: string[] = [];
  for (const requirement of requirements) {
    if (!isObject(requirement)) continue;
    const results = Object.keys(requirement).map((name) => compileScheme(name, context));
    const missing = results.filter((result) => typeof result === 'string');
    if (missing.length === 0) return results.filter((result) => typeof result !== 'string');
    reasons.push(...missing);
  }
  context.complain(pointer, reasons.join(' ') || 'A security requirement must be an object.');
  return [];
}

function compileScheme(name: string, context: CompileContext): SchemeResult {
  const schemes = own(asObject(own(context.root, 'components')), 'securitySchemes');
  const value = own(asObject(schemes), name);
  if (value === undefined) return `There is no security scheme "${name}".`;
  const pointer = pointerTo('/components/securitySchemes', name);
  const scheme = context.references.followToObject({ value, pointer })?.value;
  if (!scheme) return `The security scheme "${name}" cannot be read.`;
  const place = placeOf(scheme);
  if (!place) return `The security scheme "${name}" is of a kind that is not supported.`;
  const secret =
    (context.strict ? ownText(scheme, 'x-secret') : undefined) ??
    context.options.secretForScheme?.(name, scheme);
  if (!secret) return `The security scheme "${name}" names no secret with x-secret.`;
  return {
    name: place.name,
    in: place.in,
    style: place.in === 'header' ? 'simple' : 'form',
    explode: false,
    allowReserved: false,
    source: {
      kind: 'secret',
      secret,
      prefix: place.prefix,
      // It reaches callers, and a stranger's words may not.
      description: (context.strict && ownText(scheme, 'description')?.trim()) || null,
    },
  };
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

interface SecretPlace {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly prefix: string;
}

const authorization = (prefix: string): SecretPlace => ({
  name: 'Authorization',
  in: 'header',
  prefix,
});

function placeOf(scheme: JsonObject): SecretPlace | undefined {
  switch (own(scheme, 'type')) {
    case 'apiKey':
      return apiKeyPlace(own(scheme, 'in'), ownText(scheme, 'name') ?? '');
    case 'http':
      return httpPlace(ownText(scheme, 'scheme')?.toLowerCase());
    case 'oauth2':
    case 'openIdConnect':
      return authorization('Bearer ');
    default:
      return undefined;
  }
}

function httpPlace(scheme: string | undefined): SecretPlace | undefined {
  if (scheme === 'bearer') return authorization('Bearer ');
  return scheme === 'basic' ? authorization('Basic ') : undefined;
}

function apiKeyPlace(location: unknown, name: string): SecretPlace | undefined {
  if (location === 'query' && name) return { name, in: location, prefix: '' };
  if (location !== 'header' && location !== 'cookie') return undefined;
  const isSendable = isHttpToken(name) && !(location === 'header' && isReservedHeader(name));
  return isSendable ? { name, in: location, prefix: '' } : undefined;
}
