import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
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
  readonly clock: Clock;
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
  /** Who has the address, or claims it. */
  readonly personIds: readonly string[];
}

/** Slows down guessing of passwords, by client address and by e-mail address. */
export interface SignInLimits {
  /** Whose passwords may be tried. Rejects with `rate_limited` while too many passwords were wrong. */
  admit(attempt: Attempt): Promise<readonly string[]>;
  recordFailure(attempt: Attempt): Promise<void>;
}

export function createSignInLimits(deps: SignInLimitsDeps): SignInLimits {
  const { securityLog, failuresPerMinute, shared } = deps;
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
    async admit(attempt) {
      const ofAddress = addresses.refusalFor(attempt.clientIp);
      if (ofAddress) throw refuse('address', attempt, ofAddress);
      const ofAccount = accounts.refusalFor(accountKey(attempt.email));
      if (!ofAccount) return attempt.personIds;
      const known = await knownFrom(deps, attempt);
      if (known.length > 0) return known;
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
 * Those of the people who are signed in from this address. Strangers who guess its password could otherwise lock a person
 * out for as long as they keep guessing.
 */
async function knownFrom(
  { db, clock }: SignInLimitsDeps,
  { personIds, clientIp }: Attempt,
): Promise<readonly string[]> {
  if (personIds.length === 0) return [];
  const rows = await db
    .selectFrom('people_sessions')
    .select(['user_id', 'ip_address'])
    .distinct()
    .where('user_id', 'in', personIds)
    .where('expires_at', '>', new Date(clock.now()).toISOString())
    .limit(MAX_SESSIONS * personIds.length)
    .execute();
  const block = addressBlock(clientIp);
  return rows.flatMap(({ user_id: id, ip_address: known }) =>
    known !== null && addressBlock(known) === block ? [id] : [],
  );
}
