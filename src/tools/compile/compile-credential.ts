import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { ParameterBinding } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import type { CredentialBinding, RegisteredPolicy } from './compile-policy.ts';
import { compileSecurity } from './compile-security.ts';
import { isHttpToken, isReservedHeader } from './http-names.ts';

/**
 * The parameters of an operation that are filled with secrets. A preset's security schemes name them. A stranger's never
 * do: each operation on an approved origin has the credential of the registration, and no other operation has any.
 */
export function compileCredentials(
  operation: Located<JsonObject>,
  baseUrl: string | undefined,
  context: CompileContext,
): ParameterBinding[] {
  const { policy } = context.options;
  if (policy.kind === 'preset') return compileSecurity(operation, context);
  const requirements = readRequirements(operation, context);
  for (const scheme of namedSchemes(requirements, context)) refuseSecret(scheme, context);
  if (baseUrl === undefined) return [];
  const isBound = isApproved(policy, baseUrl);
  if (!isBound) warnWithout(policy, requirements, context);
  return policy.credential && isBound ? [bindingOf(policy.credential)] : [];
}

/** Refuses the operation if the object names a secret of the gateway. */
export function refuseSecret({ value, pointer }: Located<JsonObject>, context: CompileContext) {
  if (Object.hasOwn(value, 'x-secret')) context.issues.add(`${pointer}/x-secret`, NAMES_SECRET);
}

const NAMES_SECRET =
  'x-secret is only for presets. Remove it, and give the credential with the registration.';

/** What is wrong with a credential binding, if anything. */
export function credentialIssue(credential: CredentialBinding): string | undefined {
  const { in: location, name, prefix, secretName, origins } = credential;
  if (location === 'query' ? name === '' : !isHttpToken(name)) {
    return `"${name}" is not a valid ${location} name for a credential.`;
  }
  if (location === 'header' && isReservedHeader(name)) {
    return `A credential cannot be sent in the header "${name}". Choose another header.`;
  }
  if (!/^[\x20-\x7e]*$/.test(prefix)) return 'The prefix of a credential must be ASCII text.';
  if (secretName === '') return 'A credential needs the name of its secret.';
  const wrong = origins.find(
    (origin) => !URL.canParse(origin) || new URL(origin).origin !== origin,
  );
  return wrong === undefined
    ? undefined
    : `"${wrong}" is not an origin, such as https://api.example.com.`;
}

const isApproved = ({ credential }: RegisteredPolicy, baseUrl: string): boolean =>
  credential?.origins.includes(new URL(baseUrl).origin) ?? false;

const bindingOf = ({ in: location, name, prefix, secretName }: CredentialBinding) =>
  ({
    name,
    in: location,
    style: location === 'header' ? 'simple' : 'form',
    explode: false,
    allowReserved: false,
    source: { kind: 'secret', secret: secretName, prefix, description: null },
  }) satisfies ParameterBinding;

interface Requirements extends Located {
  readonly list: readonly JsonObject[];
}

function readRequirements(
  { value, pointer }: Located<JsonObject>,
  { root }: CompileContext,
): Requirements {
  const ofOperation = own(value, 'security');
  const declared = ofOperation ?? own(root, 'security');
  return {
    value: declared,
    pointer: ofOperation === undefined ? '/security' : `${pointer}/security`,
    list: Array.isArray(declared) ? declared.filter(isObject) : [],
  };
}

function namedSchemes(
  { list }: Requirements,
  { root, references }: CompileContext,
): Located<JsonObject>[] {
  const components = own(root, 'components');
  const schemes = isObject(components) ? own(components, 'securitySchemes') : undefined;
  if (!isObject(schemes)) return [];
  const names = new Set(list.flatMap((requirement) => Object.keys(requirement)));
  return [...names].flatMap((name) => {
    const place = {
      value: own(schemes, name),
      pointer: pointerTo('/components/securitySchemes', name),
    };
    return isObject(place.value) ? (references.followToObject(place) ?? []) : [];
  });
}

function warnWithout(
  { credential }: RegisteredPolicy,
  { list, pointer }: Requirements,
  { warn }: CompileContext,
): void {
  const isOptional = list.some((requirement) => Object.keys(requirement).length === 0);
  if (credential) warn(pointer, OTHER_ORIGIN);
  else if (list.length > 0 && !isOptional) warn(pointer, NO_CREDENTIAL);
}

const NO_CREDENTIAL =
  'The document asks for a credential, but none is registered. If the API refuses calls, register one.';
const OTHER_ORIGIN =
  'The server is not on an approved origin, so the credential is not sent there. Approve the origin if it belongs to the API.';
