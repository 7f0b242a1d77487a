import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { appendAdminEntry } from '../access/trail/admin-trail.ts';
import {
  createTestProviderKey,
  type TestProviderKey,
} from '../calls/provider-keys/test-provider-key.ts';
import { runQuery } from '../platform/database/database-error.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { judgeRefusal } from '../public-data/judge-refusal.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Storage } from './storage.ts';

/** Test calls of all operators together: they use up the provider's quota. */
const TESTS_PER_MINUTE = 6;

/** Creates what tests the keys of providers, for operators. */
export function createKeyTests(
  { catalog, keySource, clock }: GatewayContext,
  { database: { db }, shared }: Storage,
  { upstreams, callEntry, fingerprint }: Core & ReadinessParts,
): TestProviderKey {
  const limiter = createRateLimiter({
    ...shared('provider-key-tests'),
    limitPerMinute: TESTS_PER_MINUTE,
  });
  return createTestProviderKey({
    source: keySource,
    catalog,
    sender: upstreams,
    callEntry,
    judge: judgeRefusal,
    fingerprint,
    charge: async () => {
      const { allowed, retryAfterSeconds } = await limiter.consume('all');
      if (allowed) return;
      throw new GatewayError(
        'rate_limited',
        `Only ${TESTS_PER_MINUTE} tests a minute, because each is a call to the provider. Retry in ${retryAfterSeconds} s.`,
        { details: { retryAfterSeconds } },
      );
    },
    record: ({ name, value }, { verdict, tool, auditId }, { caller }) =>
      runQuery(() =>
        appendAdminEntry(db, {
          timestampMs: clock.now(),
          tenantId: null,
          actor: caller.apiKeyId,
          action: 'provider_key.tested',
          subjectId: name,
          details: { verdict, tool, auditId, isStored: value === undefined },
        }),
      ),
  });
}
