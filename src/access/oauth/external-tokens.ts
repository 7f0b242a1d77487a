import { errors, type JWTPayload, type JWTVerifyResult } from 'jose';
import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newApiKeyId } from '../../platform/kernel/ids.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { digestOf, type FoundKey, findByDigest } from '../keys/api-key-record.ts';
import { type ApiKeyStoreDeps, changeKeys, makeRoom } from '../keys/api-key-store.ts';
import { MAX_NAME } from '../keys/key-change.ts';
import type { Tenant } from '../tenants/tenant-store.ts';
import { createKeySets, type FetchJson, MAX_KEY_SET_BYTES } from './key-sets.ts';
import { serverDocumentsOf } from './oauth-addresses.ts';
import { cleanName } from './oauth-clients.ts';

/** An authorization server of the operator's own. */
export interface ExternalIssuer {
  /** Exactly as its documents and tokens name it. */
  readonly issuer: string;
  readonly audience: string;
  /** The claim that names a tenant. */
  readonly tenantClaim: string;
  /** Slugs of tenants by the values of the claim. If it is empty, the values are slugs themselves. */
  readonly tenantMap: ReadonlyMap<string, string>;
}

export interface ExternalTokensDeps extends Pick<ApiKeyStoreDeps, 'db' | 'clock'> {
  readonly external: ExternalIssuer;
  readonly fetchJson: FetchJson;
  readonly findTenant: (slug: string) => Promise<Tenant | undefined>;
}

const MAX_SUBJECT = 255;
const DISCOVERED_MS = 10 * 60_000;

/** The trail names it where no person acts. */
const ACTOR = 'oauth';

/**
 * Finds the API key without a text that stands for the subject of a token, and creates it with the first token. Rejects with
 * `unauthenticated` for a token that is not for this gateway, `forbidden` for one without a tenant of the gateway, and
 * `unavailable` while the keys of the issuer are.
 */
export function createExternalTokens(deps: ExternalTokensDeps) {
  const { external, fetchJson, clock } = deps;
  const keySets = createKeySets({ fetchJson, clock });
  const discover = createDiscovery(deps);
  const expected = { issuer: spellingsOf(external.issuer), audience: external.audience };

  const verify = async (token: string): Promise<JWTPayload> => {
    try {
      const verified = await keySets.verify(token, await discover(), expected);
      if (isForAccess(verified)) return verified.payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new GatewayError('unauthenticated');
      throw new GatewayError(
        'unavailable',
        'The keys of the authorization server are unavailable.',
        {
          cause: error,
        },
      );
    }
    throw new GatewayError('unauthenticated');
  };
  return async (token: string): Promise<FoundKey> => {
    const claims = await verify(token);
    const { sub, exp = 0 } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT) {
      throw new GatewayError('unauthenticated');
    }
    const tenant = await tenantOf(deps, claims);
    const hash = digestOf(JSON.stringify([external.issuer, sub, tenant.id]));
    const found = await runQuery(() => findByDigest(deps.db, hash));
    const record = found ?? (await createKey(deps, { hash, tenant, claims, sub }));
    return { record, endsAtMs: exp * 1000 };
  };
}

/** RFC 9068 section 2.1. */
const ACCESS_TYPES = new Set(['at+jwt', 'application/at+jwt']);

/**
 * Whether a token is meant for calls. Servers sign ID tokens and others with the same keys, often for the same audience.
 * Those that do not follow RFC 9068 say it by a claim: Keycloak by `typ`, Cognito by `token_use`, others by a scope.
 */
function isForAccess({ protectedHeader, payload }: JWTVerifyResult): boolean {
  const type = protectedHeader.typ?.toLowerCase() ?? 'jwt';
  if (ACCESS_TYPES.has(type)) return true;
  if (type !== 'jwt') return false;
  const { typ, token_use: use } = payload;
  if (typ !== undefined || use !== undefined) {
    return (typ ?? 'Bearer') === 'Bearer' && (use ?? 'access') === 'access';
  }
  const hasScope = 'scope' in payload || 'scp' in payload;
  return hasScope && !OF_OTHERS.some((claim) => claim in payload);
}

/** Claims that only ID tokens and logout tokens have. */
const OF_OTHERS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/** Some name themselves with a slash at the end, and some people leave it out. */
const spellingsOf = (issuer: string): string[] => {
  const plain = issuer.replace(/\/$/, '');
  return [plain, `${plain}/`];
};

/** The address of the issuer's keys (OpenID Connect Discovery, RFC 8414). */
function createDiscovery({
  external,
  fetchJson,
  clock,
}: ExternalTokensDeps): () => Promise<string> {
  let known: { uri: string; untilMs: number } | undefined;
  return async () => {
    if (known && known.untilMs > clock.now()) return known.uri;
    const { openId, oauth } = serverDocumentsOf(external.issuer);
    const metadata = await firstOf([openId, oauth], (url) => fetchJson(url, MAX_KEY_SET_BYTES));
    const uri = isObject(metadata) ? metadata['jwks_uri'] : undefined;
    if (typeof uri !== 'string') throw new Error('The authorization server names no keys.');
    known = { uri, untilMs: clock.now() + DISCOVERED_MS };
    return uri;
  };
}

async function firstOf<T>(urls: readonly string[], load: (url: string) => Promise<T>): Promise<T> {
  let failure: unknown;
  for (const url of urls) {
    try {
      return await load(url);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function tenantOf(
  { external, findTenant }: ExternalTokensDeps,
  claims: JWTPayload,
): Promise<Tenant> {
  const value = claims[external.tenantClaim];
  const { tenantMap } = external;
  const slugOf = (text: string) => (tenantMap.size === 0 ? text : tenantMap.get(text));
  const slug = typeof value === 'string' ? slugOf(value) : undefined;
  const tenant = slug === undefined ? undefined : await findTenant(slug);
  if (tenant) return tenant;
  throw new GatewayError(
    'forbidden',
    `The access token names no tenant of this gateway in its claim ${external.tenantClaim}.`,
  );
}

interface NewSubject {
  readonly hash: string;
  readonly tenant: Tenant;
  readonly claims: JWTPayload;
  readonly sub: string;
}

const createKey = ({ db, clock }: ExternalTokensDeps, { hash, tenant, claims, sub }: NewSubject) =>
  changeKeys({ db, clock, actor: ACTOR }, async (change) => {
    await makeRoom(change.db, tenant.id, change.nowMs);
    const client = claims['azp'] ?? claims['client_id'];
    const name = cleanName(claims['email'] ?? claims['preferred_username']) ?? sub;
    return change.insert(
      {
        id: newApiKeyId(),
        tenant_id: tenant.id,
        name: name.slice(0, MAX_NAME),
        prefix: '',
        hash,
        allowed_tools: null,
        created_at_ms: change.nowMs,
        expires_at_ms: null,
        kind: 'external',
        client_id: typeof client === 'string' ? client.slice(0, MAX_SUBJECT) : null,
        client_name: cleanName(client) ?? null,
      },
      'app.connected',
    );
  });
