import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { ParameterBinding, ParameterLocation } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import { isHttpToken, isReservedHeader } from './http-names.ts';

/** A credential, or the reason why the scheme provides none. */
type SchemeResult = ParameterBinding | string;

/** The credentials of a preset's operation: those of the first alternative whose schemes all have a secret. */
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
  context.report(pointer, reasons.join(' ') || 'A security requirement must be an object.');
  return [];
}

function compileScheme(name: string, context: CompileContext): SchemeResult {
  const schemes = own(asObject(own(context.root, 'components')), 'securitySchemes');
  const value = own(asObject(schemes), name);
  if (value === undefined)
    return `The security scheme "${name}" is not defined in components.securitySchemes.`;
  const pointer = pointerTo('/components/securitySchemes', name);
  const scheme = context.references.followToObject({ value, pointer })?.value;
  if (!scheme) return `The security scheme "${name}" cannot be read.`;
  const target = locationOf(scheme);
  if (!target)
    return `The security scheme "${name}" is not supported. Use apiKey, http (basic or bearer), oauth2 or openIdConnect.`;
  const secret = ownText(scheme, 'x-secret');
  if (!secret) return `The security scheme "${name}" names no secret. Set x-secret.`;
  return {
    name: target.name,
    in: target.in,
    style: target.in === 'header' ? 'simple' : 'form',
    explode: false,
    allowReserved: false,
    source: {
      kind: 'secret',
      secret,
      prefix: target.prefix,
      description: ownText(scheme, 'description')?.trim() || null,
    },
  };
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

interface SecretLocation {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly prefix: string;
}

const authorization = (prefix: string): SecretLocation => ({
  name: 'Authorization',
  in: 'header',
  prefix,
});

function locationOf(scheme: JsonObject): SecretLocation | undefined {
  switch (own(scheme, 'type')) {
    case 'apiKey':
      return apiKeyLocation(own(scheme, 'in'), ownText(scheme, 'name') ?? '');
    case 'http':
      return httpLocation(ownText(scheme, 'scheme')?.toLowerCase());
    case 'oauth2':
    case 'openIdConnect':
      return authorization('Bearer ');
    default:
      return undefined;
  }
}

function httpLocation(scheme: string | undefined): SecretLocation | undefined {
  if (scheme === 'bearer') return authorization('Bearer ');
  return scheme === 'basic' ? authorization('Basic ') : undefined;
}

function apiKeyLocation(location: unknown, name: string): SecretLocation | undefined {
  if (location === 'query' && name) return { name, in: location, prefix: '' };
  if (location !== 'header' && location !== 'cookie') return undefined;
  const isSendable = isHttpToken(name) && !(location === 'header' && isReservedHeader(name));
  return isSendable ? { name, in: location, prefix: '' } : undefined;
}
