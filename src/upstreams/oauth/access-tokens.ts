import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { SendOptions } from '../../tools/tool-connection.ts';
import { AbortableCall } from '../client/abortable-call.ts';
import type { AccessToken } from './access-token.ts';
import { CurrentToken } from './current-token.ts';
import type { OauthCredential } from './oauth-credential.ts';
import { requestToken, type TokenRequestDeps } from './request-token.ts';

export interface AccessTokensDeps extends TokenRequestDeps {
  /** For ages: it must not be set back. */
  readonly clock: Clock;
}

/** How long a call may wait for a token. */
type Waiting = Pick<SendOptions, 'deadline' | 'cancellation'>;

/** The access tokens of all OAuth credentials. */
export interface AccessTokens {
  /** The current token of a credential, requested on first use and shortly before it expires. */
  get(credential: OauthCredential, waiting: Waiting): Promise<AccessToken>;
  /** A newer token than the one that the upstream refused; null if too many were refused recently. */
  renew(
    credential: OauthCredential,
    refused: AccessToken,
    waiting: Waiting,
  ): Promise<AccessToken | null>;
}

/** Versions of credentials whose tokens are remembered; the least recently used is forgotten. */
const MAX_CREDENTIALS = 1000;

export function createAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const byVersion = new LRUCache<string, CurrentToken>({ max: MAX_CREDENTIALS });

  function currentOf(credential: OauthCredential): CurrentToken {
    const known = byVersion.get(credential.version);
    if (known) return known;
    const current = new CurrentToken(() => requestToken(deps, credential), deps.clock);
    byVersion.set(credential.version, current);
    return current;
  }

  return {
    get: async (credential, waiting) => within(waiting, currentOf(credential).get()),
    renew: async (credential, refused, waiting) => {
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
