import { GatewayError } from '../../platform/kernel/error.ts';
import type { CredentialBinding } from '../../tools/compile/compile-policy.ts';
import {
  type AuthScheme,
  mayChooseOrigin,
  type RegistrationOptions,
} from '../request/registration-request.ts';
import type { CompiledRegistration } from './registration-steps.ts';

/** The origins of the tools before and after, sorted (docs/contract.md#registration). */
export interface OriginChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The origin of a base address; none if it is empty, because every tool has a server of its own. */
export const baseOrigins = (baseUrl: string): readonly string[] =>
  baseUrl === '' ? [] : [new URL(baseUrl).origin];

/** The origins of all tools and of the base address. */
export const originsOf = ({ baseUrl, traits }: CompiledRegistration): readonly string[] =>
  [
    ...new Set([new URL(baseUrl).origin, ...Object.values(traits).map(({ origin }) => origin)]),
  ].toSorted();

/** What a tenant named when it registered an API. */
export interface NamedOrigins {
  readonly descriptionUrl: string | null;
  readonly scheme: AuthScheme;
  readonly options: Pick<RegistrationOptions, 'baseUrl'>;
  /** Absent in jobs that an earlier release stored. */
  readonly confirmedOrigins?: readonly string[];
  /** Where the publisher of the description takes its keys. */
  readonly knownHosts?: readonly string[];
}

/** The origins that a first version sends the credential to: the origin of the base address, and confirmed origins of tools. */
export function firstOrigins(
  { scheme, confirmedOrigins = [] }: NamedOrigins,
  compiled: CompiledRegistration,
): readonly string[] {
  // A description without any tool may have no base address.
  const [base] = baseOrigins(compiled.baseUrl);
  if (base === undefined) return [];
  // What an API without a credential gets later is for its base address.
  const confirmed = scheme.type === 'none' ? [] : confirmedOrigins;
  return originsOf(compiled).filter((origin) => origin === base || confirmed.includes(origin));
}

/** The error if the base address has an origin that the tenant has not named: a stranger's document chose it. */
export function unnamedOrigin(
  named: NamedOrigins,
  { baseUrl }: Pick<CompiledRegistration, 'baseUrl'>,
): GatewayError | undefined {
  if (!mayChooseOrigin(named)) return;
  const { descriptionUrl, confirmedOrigins = [], knownHosts = [] } = named;
  const { origin, host } = new URL(baseUrl);
  if (knownHosts.includes(host)) return;
  if (origin === new URL(descriptionUrl).origin || confirmedOrigins.includes(origin)) return;
  return new GatewayError(
    'conflict',
    `The credential would be sent to ${origin}, which is not the origin of spec_url. If the API is there, repeat the request with confirm_origins, or with its base_url.`,
  );
}

/**
 * The origins that get the credential of a new version: those confirmed, or those that had it while the tools stay where
 * they are. Null if the tenant must confirm first.
 */
export function approveOrigins(
  { scheme, origins }: { readonly scheme: AuthScheme; readonly origins: readonly string[] },
  baseUrl: string,
  { before, after }: OriginChange,
  confirmed: readonly string[],
): readonly string[] | null {
  const base = new URL(baseUrl).origin;
  if (after.every((origin) => confirmed.includes(origin))) return after;
  const isSame = before.length === after.length && before.every((each) => after.includes(each));
  // Also where the base address moves to an origin of one operation, which got no credential.
  if (isSame && origins.includes(base)) return origins;
  // What an API without a credential gets later is for its base address.
  return scheme.type === 'none' ? [base] : null;
}

/** The name by which the tools of a registered API refer to its credential. */
export const REGISTERED_SECRET = 'credential';

/**
 * Where the tools of an API send its credential. Undefined without one, and for OAuth, whose tokens the API's own client
 * adds. What is sent after `Basic ` is encoded when it is written.
 */
export function credentialBinding(
  scheme: AuthScheme,
  origins: readonly string[],
): CredentialBinding | undefined {
  const secretName = REGISTERED_SECRET;
  switch (scheme.type) {
    case 'bearer':
    case 'basic':
      return {
        in: 'header',
        name: 'authorization',
        prefix: scheme.type === 'basic' ? 'Basic ' : 'Bearer ',
        secretName,
        origins,
      };
    case 'api_key':
      return { in: scheme.in, name: scheme.keyName, prefix: '', secretName, origins };
    case 'provider_key':
      // Each operation names the parameter.
      return { in: 'query', name: null, prefix: '', secretName, origins };
    default:
      return undefined;
  }
}
