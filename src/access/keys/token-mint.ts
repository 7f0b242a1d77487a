import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { CHECK_DIGITS, newAccessToken, newRefreshToken } from '../../platform/kernel/ids.ts';
import { lazily } from '../../platform/kernel/memo.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';

export interface TokenMintDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
}

const OWNER = { tenantId: '', subjectId: 'oauth', field: 'tokens' };

export type TokenMint = ReturnType<typeof createTokenMint>;

/**
 * Makes the tokens of grants. Each ends with a check part, which only gateways of this database can make: an invented token
 * is recognised without a query, and a real one even when nothing is stored of it any more.
 */
export function createTokenMint(deps: TokenMintDeps) {
  const secret = lazily(() => createSecretStore(deps).ensure(OWNER));
  const checkOf = async (text: string): Promise<string> =>
    createHmac('sha256', (await secret()).reveal())
      .update(text)
      .digest('hex')
      .slice(0, CHECK_DIGITS);
  const checked = async (text: string): Promise<string> => text + (await checkOf(text));
  return {
    /** New tokens of a grant. Rejects with `unavailable` while the database is away. */
    mint: async (grantId: string) => ({
      access: await checked(newAccessToken()),
      refresh: await checked(newRefreshToken(grantId)),
    }),
    /** Whether a text in the form of a token was made here. Rejects with `unavailable` until the secret was read once. */
    isGenuine: async (token: string): Promise<boolean> => {
      if (deps.vault.keyId === null) return false;
      const [shown, made] = [
        Buffer.from(token.slice(-CHECK_DIGITS)),
        Buffer.from(await checkOf(token.slice(0, -CHECK_DIGITS))),
      ];
      return shown.length === made.length && timingSafeEqual(shown, made);
    },
  };
}
