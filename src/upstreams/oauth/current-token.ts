import type { Clock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { AccessToken } from './access-token.ts';

/** A token is replaced this long before it expires, or a tenth of its lifetime if that is shorter. */
const MARGIN_MS = 60_000;
/** After a refusal, the token server is not asked again for this long: repeated failures may lock an account. */
const PAUSE_MS = 5000;
/** Renewals because the upstream refused a token: beyond, its 401 is final. */
const MAX_RENEWALS = 10;
const RENEWAL_WINDOW_MS = 60_000;

/**
 * The access token of one credential. Calls that need one at the same time share the request for it. While no new one can
 * be obtained, the old one is used until it expires.
 */
export class CurrentToken {
  readonly #request: () => Promise<AccessToken>;
  readonly #clock: Clock;
  #pending: Promise<AccessToken> | null = null;
  #token: AccessToken | null = null;
  #replaceAtMs = 0;
  #expiresAtMs = 0;
  #refusal: GatewayError | null = null;
  #refusedUntilMs = 0;
  #renewals = 0;
  #windowEndsMs = 0;

  constructor(request: () => Promise<AccessToken>, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  /** Throws the last refusal for a few seconds. */
  get(): AccessToken | Promise<AccessToken> {
    const nowMs = this.#clock.now();
    if (this.#token && nowMs < this.#replaceAtMs) return this.#token;
    if (this.#refusal && nowMs < this.#refusedUntilMs) throw this.#refusal;
    return this.#start();
  }

  /** A newer token than this one; null beyond the allowed renewals. */
  renew(refused: AccessToken): AccessToken | Promise<AccessToken> | null {
    if (this.#pending !== null) return this.#pending;
    if (this.#token && this.#token !== refused) return this.get();
    if (!this.#mayRenew()) return null;
    this.#token = null;
    return this.get();
  }

  #mayRenew(): boolean {
    const nowMs = this.#clock.now();
    if (nowMs >= this.#windowEndsMs) {
      this.#renewals = 0;
      this.#windowEndsMs = nowMs + RENEWAL_WINDOW_MS;
    }
    this.#renewals += 1;
    return this.#renewals <= MAX_RENEWALS;
  }

  #start(): Promise<AccessToken> {
    this.#pending ??= this.#replace().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #replace(): Promise<AccessToken> {
    try {
      const token = await this.#request();
      this.#expiresAtMs = this.#clock.now() + token.lifetimeMs;
      this.#replaceAtMs = this.#expiresAtMs - Math.min(MARGIN_MS, token.lifetimeMs / 10);
      this.#token = token;
      return token;
    } catch (error) {
      const nowMs = this.#clock.now();
      if (this.#token && nowMs < this.#expiresAtMs) {
        this.#replaceAtMs = Math.min(nowMs + PAUSE_MS, this.#expiresAtMs);
        return this.#token;
      }
      if (error instanceof GatewayError && error.code === 'missing_secret') {
        this.#refusal = error;
        this.#refusedUntilMs = nowMs + PAUSE_MS;
      }
      throw error;
    }
  }
}
