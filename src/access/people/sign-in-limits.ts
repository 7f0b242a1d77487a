import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { addressBlock } from '../limits/address-block.ts';
import { createFailureLimiter } from '../limits/failure-limiter.ts';
import type { LimitDecision } from '../limits/limit-decision.ts';
import type { LimiterOptions } from '../limits/rate-limiter.ts';
import type { SecurityLog } from '../trail/security-log.ts';
import { MAX_SESSIONS } from './person-sessions.ts';

/** Wrong passwords per minute for one e-mail address. */
export const FAILURES_OF_ACCOUNT = 10;

export interface SignInLimitsDeps {
  readonly db: Kysely<Tables>;
  readonly securityLog: Pick<SecurityLog, 'record'>;
  /** Wrong passwords per minute from one client address; 0 = no limit. */
  readonly failuresPerMinute: number;
  /** The options of a limiter that shares its counts through Redis, if configured. */
  readonly shared: (kind: string) => Omit<LimiterOptions, 'limitPerMinute'>;
}

export interface Attempt {
  /** In lower case. */
  readonly email: string;
  readonly clientIp: string;
  readonly personId: string | undefined;
}

/** Slows down guessing of passwords, by client address and by e-mail address. */
export interface SignInLimits {
  /** Rejects with `rate_limited` while too many passwords were wrong. */
  assertAllowed(attempt: Attempt): Promise<void>;
  recordFailure(attempt: Attempt): Promise<void>;
}

export function createSignInLimits(deps: SignInLimitsDeps): SignInLimits {
  const { db, securityLog, failuresPerMinute, shared } = deps;
  const addresses = createFailureLimiter({
    ...shared('sign-in-addresses'),
    limitPerMinute: failuresPerMinute,
  });
  const accounts = createFailureLimiter({
    ...shared('sign-in-accounts'),
    limitPerMinute: FAILURES_OF_ACCOUNT,
  });
  const refuse = (by: 'address' | 'account', { clientIp }: Attempt, decision: LimitDecision) => {
    securityLog.record('sign_in_blocked', { by, address: clientIp }, addressBlock(clientIp));
    const seconds = decision.retryAfterSeconds;
    return new GatewayError(
      'rate_limited',
      `Too many wrong passwords. Try again in ${seconds} seconds.`,
      { details: { retryAfterSeconds: seconds } },
    );
  };
  return {
    async assertAllowed(attempt) {
      const ofAddress = addresses.refusalFor(attempt.clientIp);
      if (ofAddress) throw refuse('address', attempt, ofAddress);
      const ofAccount = accounts.refusalFor(accountKey(attempt.email));
      if (!ofAccount || (await isKnownAddress(db, attempt))) return;
      throw refuse('account', attempt, ofAccount);
    },
    async recordFailure(attempt) {
      const { clientIp, email } = attempt;
      securityLog.record('sign_in_failed', { address: clientIp }, addressBlock(clientIp));
      await Promise.all([
        addresses.recordFailure(clientIp),
        accounts.recordFailure(accountKey(email)),
      ]);
    },
  };
}

/** Neither Redis nor the memory holds e-mail addresses. */
const accountKey = (email: string): string => createHash('sha256').update(email).digest('hex');

/**
 * Whether the person is signed in from this address. Strangers who guess its password could otherwise lock a person out
 * for as long as they keep guessing.
 */
async function isKnownAddress(
  db: Kysely<Tables>,
  { personId, clientIp }: Attempt,
): Promise<boolean> {
  if (personId === undefined) return false;
  const rows = await db
    .selectFrom('people_sessions')
    .select('ip_address')
    .where('user_id', '=', personId)
    .limit(MAX_SESSIONS)
    .execute();
  const block = addressBlock(clientIp);
  return rows.some(({ ip_address: known }) => known !== null && addressBlock(known) === block);
}
