import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import type { ParameterBinding } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import type { CredentialBinding } from './compile-policy.ts';
import { isHttpToken, isReservedHeader } from './http-names.ts';
import type { Operation } from './list-operations.ts';

/**
 * The parameters of an operation that are filled with secrets. A preset's security schemes name them. A stranger's never
 * do: each operation on an approved origin has the credential of the registration, and no other operation has any.
 */
export function compileCredentials(
  operation: Operation,
  baseUrl: string | undefined,
  context: CompileContext,
): ParameterBinding[] {
  const { policy } = context.options;
  const security = securityOf(operation, context);
  if (policy.kind === 'preset') return presetCredentials(security, context);
  for (const name of new Set(security.list.flatMap((requirement) => Object.keys(requirement)))) {
    const place = schemeAt(name, context);
    const scheme = isObject(place.value) ? context.references.followToObject(place) : undefined;
    if (scheme) refuseSecret(scheme, context);
  }
  if (baseUrl === undefined) return [];
  const { credential } = policy;
  const { list, pointer } = security;
  if (credential?.origins.includes(new URL(baseUrl).origin)) {
    const place = placeOf(credential, policy.overlay?.credentials.get(nameOf(operation)));
    if (place) warnIfNotEnough(place, security, context);
    return place ? [bindingOf(place, credential.secretName, null)] : [];
  }
  const isOptional = list.some((requirement) => Object.keys(requirement).length === 0);
  if (credential) context.warn(pointer, OTHER_ORIGIN);
  else if (list.length > 0 && !isOptional) context.warn(pointer, NO_CREDENTIAL);
  return [];
}

/**
 * Warns where the description says that the one credential that a registration has cannot be enough: each of its alternatives
 * needs two, or another kind.
 */
function warnIfNotEnough(place: SecretPlace, { list, pointer }: Security, context: CompileContext) {
  const alternatives = list.map((requirement) =>
    Object.keys(requirement).map((name) => {
      const at = schemeAt(name, context);
      const scheme = context.references.target(referenceOf(at.value) ?? '') ?? at;
      return { name, scheme: isObject(scheme.value) ? scheme.value : {} };
    }),
  );
  const isEnough = ({ scheme }: Requirement): boolean => {
    const wanted = secretPlace(scheme);
    return wanted?.in === place.in && wanted.name.toLowerCase() === place.name.toLowerCase();
  };
  const [first] = alternatives;
  if (
    !first ||
    alternatives.some((all) => all.length === 0 || (all.length === 1 && all.every(isEnough)))
  )
    return;
  const asked = alternatives
    .map((all) => all.map(describeScheme).join(' together with '))
    .join(', or ');
  context.warn(
    pointer,
    `The document asks for ${asked}, but the one credential of the registration is sent in the ${place.in} ${JSON.stringify(place.name)}. If the API refuses calls, this is why.`,
  );
}

interface Requirement {
  readonly name: string;
  readonly scheme: JsonObject;
}

/** Where a scheme is sent, or what it is, as an author calls it. */
function describeScheme({ name, scheme }: Requirement): string {
  const place = secretPlace(scheme);
  if (place) return `${place.in} ${JSON.stringify(place.name.slice(0, MAX_NAME_LENGTH))}`;
  const kind = ownText(scheme, 'scheme') ?? ownText(scheme, 'type') ?? name;
  return `${kind.slice(0, MAX_NAME_LENGTH)}, which is not supported`;
}

const MAX_NAME_LENGTH = 100;

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Where a credential is sent: in the parameter that the tenant has chosen for the operation, else where the credential says. */
function placeOf(
  credential: CredentialBinding,
  chosen: string | undefined,
): SecretPlace | undefined {
  if (chosen !== undefined) return { in: 'query', name: chosen, prefix: '' };
  const { name } = credential;
  return name === null ? undefined : { ...credential, name };
}

const NO_CREDENTIAL =
  'The document asks for a credential, but none is registered. If the API refuses calls, register one.';
const OTHER_ORIGIN =
  'The server is not on an approved origin, so the credential is not sent there. Approve the origin if it belongs to the API.';

/** Refuses the operation if the object names a secret of the gateway. */
export function refuseSecret({ value, pointer }: Located<JsonObject>, { refuse }: CompileContext) {
  if (Object.hasOwn(value, 'x-secret')) refuse(`${pointer}/x-secret`, NAMES_SECRET);
}

const NAMES_SECRET =
  'x-secret is only for presets. Remove it, and give the credential with the registration.';

/** What is wrong with a credential binding, if anything. */
export function credentialIssue(credential: CredentialBinding): string | undefined {
  const { in: location, name, prefix, secretName, origins } = credential;
  if (name === null) return undefined;
  if (location === 'query' ? name === '' : !isHttpToken(name)) {
    return `"${name}" is not a valid ${location} name for a credential.`;
  }
  if (location === 'header' && isReservedHeader(name)) {
    return `A credential cannot be sent in the header "${name}". Choose another header.`;
  }
  if (!/^[\x20-\x7e]*$/.test(prefix)) return 'The prefix of a credential must be ASCII text.';
  if (secretName === '') return 'A credential needs the name of its secret.';
  const wrong = origins.find((origin) => URL.parse(origin)?.origin !== origin);
  return wrong === undefined
    ? undefined
    : `"${wrong}" is not an origin, such as https://api.example.com.`;
}

interface SecretPlace extends Pick<CredentialBinding, 'in' | 'prefix'> {
  readonly name: string;
}

const bindingOf = (
  { in: location, name, prefix }: SecretPlace,
  secret: string,
  description: string | null,
): ParameterBinding => ({
  name,
  in: location,
  style: location === 'header' ? 'simple' : 'form',
  explode: false,
  allowReserved: false,
  source: { kind: 'secret', secret, prefix, description },
});

/** The security requirements of an operation, or else of the document. */
interface Security extends Located {
  readonly list: readonly JsonObject[];
}

function securityOf({ value, pointer }: Located<JsonObject>, { root }: CompileContext): Security {
  const ofOperation = own(value, 'security');
  const declared = ofOperation ?? own(root, 'security');
  return {
    value: declared,
    pointer: ofOperation === undefined ? '/security' : `${pointer}/security`,
    list: Array.isArray(declared) ? declared.filter(isObject) : [],
  };
}

function schemeAt(name: string, { root }: CompileContext): Located {
  const schemes = ownObject(ownObject(root, 'components'), 'securitySchemes');
  return { value: own(schemes, name), pointer: pointerTo('/components/securitySchemes', name) };
}

/** The credentials of a preset's operation: from the first alternative whose schemes all have a secret. */
function presetCredentials(
  { value, list, pointer }: Security,
  context: CompileContext,
): ParameterBinding[] {
  if (!Array.isArray(value) || value.length === 0) return [];
  const reasons: string[] = [];
  for (const requirement of list) {
    const results = Object.keys(requirement).map((name) => compileScheme(name, context));
    const missing = results.filter((result) => typeof result === 'string');
    if (missing.length === 0) return results.filter((result) => typeof result !== 'string');
    reasons.push(...missing);
  }
  context.report(pointer, reasons.join(' ') || 'A security requirement must be an object.');
  return [];
}

/** A credential, or the reason why the scheme provides none. */
function compileScheme(name: string, context: CompileContext): ParameterBinding | string {
  const quoted = `The security scheme "${name}"`;
  const place = schemeAt(name, context);
  if (place.value === undefined) return `${quoted} is not defined in components.securitySchemes.`;
  const scheme = context.references.followToObject(place)?.value;
  if (!scheme) return `${quoted} cannot be read.`;
  const target = secretPlace(scheme);
  if (!target) {
    return `${quoted} is not supported. Use apiKey, http (basic or bearer), oauth2 or openIdConnect.`;
  }
  const secret = ownText(scheme, 'x-secret');
  if (!secret) return `${quoted} names no secret. Set x-secret.`;
  return bindingOf(target, secret, ownText(scheme, 'description')?.trim() || null);
}

/** Where the secret of a scheme is sent; undefined if the scheme is not supported. */
function secretPlace(scheme: JsonObject): SecretPlace | undefined {
  const bearer = { name: 'Authorization', in: 'header', prefix: 'Bearer ' } as const;
  switch (own(scheme, 'type')) {
    case 'apiKey':
      return apiKeyPlace(own(scheme, 'in'), ownText(scheme, 'name') ?? '');
    case 'http': {
      const name = ownText(scheme, 'scheme')?.toLowerCase();
      if (name === 'basic') return { ...bearer, prefix: 'Basic ' };
      return name === 'bearer' ? bearer : undefined;
    }
    case 'oauth2':
    case 'openIdConnect':
      return bearer;
    default:
      return undefined;
  }
}

function apiKeyPlace(location: unknown, name: string): SecretPlace | undefined {
  if (location === 'query' && name) return { name, in: location, prefix: '' };
  if (location !== 'header' && location !== 'cookie') return undefined;
  const isSendable = isHttpToken(name) && !(location === 'header' && isReservedHeader(name));
  return isSendable ? { name, in: location, prefix: '' } : undefined;
}
