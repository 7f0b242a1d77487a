import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { SendOptions } from '../../tools/tool-connection.ts';
import { AbortableCall } from '../client/abortable-call.ts';
import {
  type AccessToken,
  type OauthCredential,
  requestToken,
  type TokenRequestDeps,
} from './access-token.ts';

export interface AccessTokensDeps extends TokenRequestDeps {
  /** For ages: it must not be set back. */
  readonly clock: Clock;
}

/** How long a call may wait for a token. */
type Waiting = Pick<SendOptions, 'deadline' | 'cancellation'>;

/** Versions of credentials whose tokens are remembered; the least recently used is forgotten. */
const MAX_CREDENTIALS = 1000;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** The access tokens of all OAuth credentials. */
export function createAccessTokens(deps: AccessTokensDeps) {
  const byVersion = new LRUCache<string, CurrentToken>({ max: MAX_CREDENTIALS });

  function currentOf(credential: OauthCredential): CurrentToken {
    const known = byVersion.get(credential.version);
    if (known) return known;
    const current = createCurrentToken(() => requestToken(deps, credential), deps.clock);
    byVersion.set(credential.version, current);
    return current;
  }

  return {
    /** The current token of a credential, requested on first use and shortly before it expires. */
    get: async (credential: OauthCredential, waiting: Waiting): Promise<AccessToken> =>
      within(waiting, currentOf(credential).get()),
    /** A newer token than the refused one; null if too many were refused recently. */
    renew: async (
      credential: OauthCredential,
      refused: AccessToken,
      waiting: Waiting,
    ): Promise<AccessToken | null> => {
      const renewed = currentOf(credential).renew(refused);
      return renewed && (await within(waiting, renewed));
    },
  };
}

/** Rejects when the deadline of the call passes or its caller disconnects; other calls may still wait for the token. */
async function within<T>({ deadline, cancellation }: Waiting, work: T | Promise<T>): Promise<T> {
  if (!(work instanceof Promise)) return work;
  const call = new AbortableCall(deadline, cancellation);
  try {
    return await new Promise<T>((resolve, reject) => {
      call.setStep({ abort: reject });
      work.then(resolve, reject);
    });
  } finally {
    call.end();
  }
}

/** A token is replaced this long before it expires, or a tenth of its lifetime if that is shorter. */
const MARGIN_MS = 60_000;
/** After a refusal, the token server is not asked again for this long: repeated failures may lock an account. */
const PAUSE_MS = 5000;
/** Renewals because the upstream refused a token: beyond, its 401 is final. */
const MAX_RENEWALS = 10;
const RENEWAL_WINDOW_MS = 60_000;

type CurrentToken = ReturnType<typeof createCurrentToken>;

/**
 * The access token of one credential. Calls that need one at the same time share the request for it. While no new one can
 * be obtained, the old one is used until it expires.
 */
function createCurrentToken(request: () => Promise<AccessToken>, clock: Clock) {
  let pending: Promise<AccessToken> | null = null;
  let token: AccessToken | null = null;
  let replaceAtMs = 0;
  let expiresAtMs = 0;
  let refusal: GatewayError | null = null;
  let refusedUntilMs = 0;
  let renewals = 0;
  let windowEndsMs = 0;

  /** Throws the last refusal for a few seconds. */
  function get(): AccessToken | Promise<AccessToken> {
    const nowMs = clock.now();
    if (token && nowMs < replaceAtMs) return token;
    if (refusal && nowMs < refusedUntilMs) throw refusal;
    pending ??= replace().finally(() => {
      pending = null;
    });
    return pending;
  }

  async function replace(): Promise<AccessToken> {
    try {
      const fresh = await request();
      expiresAtMs = clock.now() + fresh.lifetimeMs;
      replaceAtMs = expiresAtMs - Math.min(MARGIN_MS, fresh.lifetimeMs / 10);
      token = fresh;
      return fresh;
    } catch (error) {
      const nowMs = clock.now();
      if (token && nowMs < expiresAtMs) {
        replaceAtMs = Math.min(nowMs + PAUSE_MS, expiresAtMs);
        return token;
      }
      if (error instanceof GatewayError && error.code === 'missing_secret') {
        refusal = error;
        refusedUntilMs = nowMs + PAUSE_MS;
      }
      throw error;
    }
  }

  function mayRenew(): boolean {
    const nowMs = clock.now();
    if (nowMs >= windowEndsMs) {
      renewals = 0;
      windowEndsMs = nowMs + RENEWAL_WINDOW_MS;
    }
    renewals += 1;
    return renewals <= MAX_RENEWALS;
  }

  return {
    get,
    /** A newer token than this one; null beyond the allowed renewals. */
    renew(refused: AccessToken): AccessToken | Promise<AccessToken> | null {
      if (pending !== null) return pending;
      if (token && token !== refused) return get();
      if (!mayRenew()) return null;
      token = null;
      return get();
    },
  };
}
