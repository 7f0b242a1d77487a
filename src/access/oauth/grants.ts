import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  grantOf,
  isAccessToken,
  newApiKeyId,
  newAuthorizationCode,
} from '../../platform/kernel/ids.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import {
  type ApiKeyRecord,
  digestOf,
  findById,
  findByToken,
  keyStateOf,
  listGrants,
} from '../keys/api-key-record.ts';
import { changeKeys, type KeysChange, makeRoom } from '../keys/api-key-store.ts';
import { checkApiKey, columnsOf, type KeyChange } from '../keys/key-change.ts';
import type { TokenMint } from '../keys/token-mint.ts';
import { findPerson } from '../people/find-person.ts';
import type { MemberRole } from '../people/person.ts';
import { MAX_GRANTS } from './apps.ts';
import { SCOPE } from './oauth-addresses.ts';
import { OAuthError } from './oauth-error.ts';
import { exchange, type LivingToken } from './refresh-tokens.ts';

const CODE_MS = 60_000;
const ACCESS_MS = 60 * 60_000;
/** A host that repeats the request of a code at once has lost the response; later, another program has the code. */
const REPEAT_MS = 1000;
/** Used codes are remembered this long, to notice a second use. */
const REMEMBERED_MS = 60 * 60_000;
/** Access tokens of one grant that are stored. Beyond these, the oldest are deleted. */
export const MAX_TOKENS = 20;

/** What a person lets a host do. */
export interface GrantChoice
  extends Pick<KeyChange, 'allowedTools' | 'dailyLimit' | 'expiresAtMs'> {
  /** The request that this answers. */
  readonly requestId: string;
  readonly personId: string;
  readonly tenantId: string;
  /** Of the person in the tenant. */
  readonly role: MemberRole;
  readonly clientKey: string;
  readonly clientName: string;
  /** What the site of the client published about it. */
  readonly clientDocument?: string | undefined;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** The response to a request for tokens (RFC 6749 section 5.1). */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

export interface GrantsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly tokens: TokenMint;
  /** How long a refresh token works after it was replaced: hosts refresh in parallel. */
  readonly graceMs: number;
  /** Called after a grant was created or has ended. */
  readonly onChanged: () => Promise<void>;
}

/** The trail names it where no person acts. */
const ACTOR = 'oauth';

/** Codes, tokens and the API keys without a text that they stand for. Every method rejects with `unavailable` while the database is away. */
export const createGrants = (deps: GrantsDeps) => ({
  /** A code for what a person chose; rejects with `conflict` if the request was answered before. */
  issueCode: (choice: GrantChoice) => issueCode(deps, choice),
  /** Exchanges a code for tokens, once. Rejects with an OAuthError. */
  redeem: (request: CodeRequest) => redeem(deps, request),
  /** Exchanges a refresh token for new tokens. Rejects with an OAuthError. */
  refresh: (token: string, clientKey: string) => refresh(deps, token, clientKey),
  /** Remembers an assertion of a client until it expires; false if it was shown before. */
  rememberAssertion: (digest: string, expiresAtMs: number) =>
    rememberAssertion(deps, digest, expiresAtMs),
  /** The document of a client with which it was connected last. */
  lastDocument: (clientKey: string) => lastDocument(deps, clientKey),
  /** Ends the grant of a token of this client; has no effect for any other text (RFC 7009). */
  revoke: (token: string, clientKey: string) => revoke(deps, token, clientKey),
});

async function issueCode({ db, clock }: GrantsDeps, choice: GrantChoice): Promise<string> {
  checkApiKey(choice);
  const code = newAuthorizationCode();
  const nowMs = clock.now();
  const { requestId, ...chosen } = choice;
  const { numInsertedOrUpdatedRows } = await runQuery(async () => {
    await db
      .deleteFrom('oauth_codes')
      .where('expires_at_ms', '<', nowMs - REMEMBERED_MS)
      .execute();
    return db
      .insertInto('oauth_codes')
      .values({
        digest: digestOf(code),
        request_id: requestId,
        choice: JSON.stringify(chosen),
        expires_at_ms: nowMs + CODE_MS,
      })
      .onConflict((conflict) => conflict.column('request_id').doNothing())
      .executeTakeFirst();
  });
  if (numInsertedOrUpdatedRows) return code;
  throw new GatewayError(
    'conflict',
    'This request was answered already. Return to the program, and connect it again.',
  );
}

export interface CodeRequest {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly clientKey: string;
}

const invalidGrant = (description: string): OAuthError =>
  new OAuthError('invalid_grant', description);

const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

/** RFC 7636 section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

async function redeem(deps: GrantsDeps, request: CodeRequest): Promise<Tokens> {
  const askedMs = deps.clock.now();
  const digest = digestOf(request.code);
  const row = await runQuery(() =>
    deps.db.selectFrom('oauth_codes').selectAll().where('digest', '=', digest).executeTakeFirst(),
  );
  const choice: Omit<GrantChoice, 'requestId'> | undefined = row && JSON.parse(row.choice);
  if (!row || choice?.clientKey !== request.clientKey) {
    throw invalidGrant('The code is unknown, or belongs to another client.');
  }
  if (choice.redirectUri !== request.redirectUri) {
    throw invalidGrant(
      'redirect_uri differs from the redirect_uri that the code was requested with.',
    );
  }
  if (!VERIFIER.test(request.verifier) || challengeOf(request.verifier) !== choice.challenge) {
    throw invalidGrant('code_verifier does not fit the code_challenge.');
  }
  const tokens =
    (await grant(deps, digest, choice)) ?? (await refuseUsedCode(deps, digest, askedMs));
  await deps.onChanged();
  return tokens;
}

/** Takes the code and creates the grant in one transaction: of several requests, one wins. Undefined for the others. */
async function grant(
  { db, clock, tokens }: GrantsDeps,
  digest: string,
  choice: Omit<GrantChoice, 'requestId'>,
): Promise<Tokens | undefined> {
  const id = newApiKeyId();
  const pair = await tokens.mint(id);
  return changeKeys({ db, clock, actor: choice.personId }, async (change) => {
    const { numUpdatedRows } = await change.db
      .updateTable('oauth_codes')
      .set({ used_at_ms: change.nowMs, api_key_id: id })
      .where('digest', '=', digest)
      .where('used_at_ms', 'is', null)
      .where('expires_at_ms', '>', change.nowMs)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    await assertMember(change.db, choice);
    await makeRoom(change.db, choice.tenantId, change.nowMs);
    await endOldest(change, choice.personId);
    const { allowed_tools = null, expires_at_ms = null, ...columns } = columnsOf(choice);
    const key = await change.insert(
      {
        ...columns,
        allowed_tools,
        expires_at_ms,
        id,
        tenant_id: choice.tenantId,
        name: choice.clientName,
        prefix: '',
        // Of bytes that are not kept: no text opens it.
        hash: digestOf(randomBytes(32).toString('hex')),
        created_at_ms: change.nowMs,
        owner: choice.personId,
        kind: 'oauth',
        client_id: choice.clientKey,
        client_name: choice.clientName,
        client_document: choice.clientDocument ?? null,
      },
      'app.connected',
    );
    const first = { digest: digestOf(pair.refresh), parent: '', issuedMs: change.nowMs };
    await change.db
      .insertInto('oauth_refresh_tokens')
      .values({ api_key_id: id, living: JSON.stringify([first]) })
      .execute();
    return issueTokens(change.db, key, pair, change.nowMs);
  });
}

/** Leaves room for one more grant of a person. */
async function endOldest(change: KeysChange, personId: string): Promise<void> {
  const grants = await listGrants(change.db, personId, 2 * MAX_GRANTS);
  for (const oldest of grants.slice(MAX_GRANTS - 1)) {
    await change.revoke(oldest, 'app.disconnected');
  }
}

/** A person may have been removed since. */
async function assertMember(
  db: Kysely<Tables>,
  { personId, tenantId, role }: Omit<GrantChoice, 'requestId'>,
): Promise<void> {
  const person = await findPerson(db, personId);
  const now = person?.memberships.find((each) => each.tenantId === tenantId)?.role;
  if (person?.isOperator || now === 'admin' || (now !== undefined && now === role)) return;
  throw invalidGrant('The person may not connect this tenant any more.');
}

/** Ends the grant of a code that is used again: one of the two requests does not come from the client. */
async function refuseUsedCode(deps: GrantsDeps, digest: string, askedMs: number): Promise<never> {
  const row = await runQuery(() =>
    deps.db
      .selectFrom('oauth_codes')
      .select(['used_at_ms', 'api_key_id'])
      .where('digest', '=', digest)
      .executeTakeFirst(),
  );
  const { used_at_ms: usedAtMs = null, api_key_id: keyId = null } = row ?? {};
  if (keyId !== null && usedAtMs !== null && askedMs - usedAtMs > REPEAT_MS) {
    await end(deps, keyId, 'app.reuse_detected');
  }
  throw invalidGrant('The code was used already, or has expired.');
}

type TokenPair = Awaited<ReturnType<TokenMint['mint']>>;

/** Stores an access token, which does not outlive the grant, and answers with both tokens. */
async function issueTokens(
  db: Kysely<Tables>,
  { id, expiresAtMs }: ApiKeyRecord,
  { access, refresh: refreshToken }: TokenPair,
  nowMs: number,
): Promise<Tokens> {
  const endsMs = Math.min(nowMs + ACCESS_MS, expiresAtMs ?? Number.POSITIVE_INFINITY);
  await trimTokens(db, id, nowMs);
  await db
    .insertInto('oauth_tokens')
    .values({
      digest: digestOf(access),
      api_key_id: id,
      created_at_ms: nowMs,
      expires_at_ms: endsMs,
    })
    .execute();
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor((endsMs - nowMs) / 1000),
    refresh_token: refreshToken,
    scope: SCOPE,
  };
}

/** Deletes access tokens that have expired, and the oldest beyond the bound. */
async function trimTokens(db: Kysely<Tables>, keyId: string, nowMs: number): Promise<void> {
  const ofGrant = db.selectFrom('oauth_tokens').select('digest').where('api_key_id', '=', keyId);
  const newest = ofGrant
    .orderBy('created_at_ms', 'desc')
    .orderBy('digest')
    .limit(MAX_TOKENS - 1);
  await db
    .deleteFrom('oauth_tokens')
    .where('api_key_id', '=', keyId)
    .where((eb) => eb.or([eb('expires_at_ms', '<=', nowMs), eb('digest', 'not in', newest)]))
    .execute();
}

async function refresh(deps: GrantsDeps, token: string, clientKey: string): Promise<Tokens> {
  const { db, clock, graceMs, tokens } = deps;
  const key = await findGrant(deps, token);
  if (key?.clientId !== clientKey || isAccessToken(token)) {
    throw invalidGrant('The refresh token is unknown, or belongs to another client.');
  }
  const nowMs = clock.now();
  if (keyStateOf(key, nowMs) !== 'active') throw hasEnded();
  const pair = await tokens.mint(key.id);
  const step = { used: digestOf(token), next: digestOf(pair.refresh), nowMs, graceMs };
  const result = await runQuery(() =>
    db.transaction().execute(async (transaction) => {
      const living = exchange(await lockLiving(transaction, key.id), step);
      if (typeof living === 'string') return living;
      await transaction
        .updateTable('oauth_refresh_tokens')
        .set({ living: JSON.stringify(living) })
        .where('api_key_id', '=', key.id)
        .execute();
      return issueTokens(transaction, key, pair, nowMs);
    }),
  );
  if (result === 'expired') throw hasEnded();
  if (result !== 'reused') return result;
  await end(deps, key.id, 'app.reuse_detected');
  throw invalidGrant('The refresh token was used before. Connect again.');
}

const hasEnded = (): OAuthError =>
  invalidGrant('The refresh token has expired, or the person has disconnected the client.');

/** The refresh tokens of a grant. Its row stays locked until the transaction ends: each exchange sees the one before. */
async function lockLiving(db: Kysely<Tables>, keyId: string): Promise<readonly LivingToken[]> {
  const row = await db
    .updateTable('oauth_refresh_tokens')
    .set((eb) => ({ living: eb.ref('living') }))
    .where('api_key_id', '=', keyId)
    .returning('living')
    .executeTakeFirst();
  return row ? JSON.parse(row.living) : [];
}

/** The grant of a token that was made here, in any state of both. */
async function findGrant({ db, tokens }: GrantsDeps, text: string) {
  const keyId = grantOf(text);
  if (keyId === undefined && !isAccessToken(text)) return undefined;
  if (!(await tokens.isGenuine(text))) return undefined;
  return runQuery(async () =>
    keyId === undefined ? (await findByToken(db, digestOf(text)))?.record : findById(db, keyId),
  );
}

async function revoke(deps: GrantsDeps, token: string, clientKey: string): Promise<void> {
  const key = await findGrant(deps, token);
  if (key?.clientId === clientKey) await end(deps, key.id, 'app.disconnected');
}

/** Ends a grant, unless it has ended already. */
async function end(
  { db, clock, onChanged }: GrantsDeps,
  keyId: string,
  action: 'app.disconnected' | 'app.reuse_detected',
): Promise<void> {
  await changeKeys({ db, clock, actor: ACTOR }, async (change) => {
    const key = await findById(change.db, keyId);
    if (key) await change.revoke(key, action);
  });
  await onChanged();
}

async function rememberAssertion(
  { db, clock }: GrantsDeps,
  digest: string,
  expiresAtMs: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await runQuery(async () => {
    // Beyond its expiry, within which clocks may differ by a minute.
    await db
      .deleteFrom('oauth_assertions')
      .where('expires_at_ms', '<', clock.now() - 2 * 60_000)
      .execute();
    return db
      .insertInto('oauth_assertions')
      .values({ digest, expires_at_ms: expiresAtMs })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .executeTakeFirst();
  });
  return Boolean(numInsertedOrUpdatedRows);
}

async function lastDocument({ db }: GrantsDeps, clientKey: string): Promise<string | undefined> {
  const row = await runQuery(() =>
    db
      .selectFrom('api_keys')
      .select('client_document')
      .where('client_id', '=', clientKey)
      .where('client_document', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.client_document ?? undefined;
}
