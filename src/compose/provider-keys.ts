import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { createProviderKeyStore } from '../access/provider-keys/provider-key-store.ts';
import { openProviderKeys } from '../access/provider-keys/provider-keys.ts';
import { appendAdminEntry } from '../access/trail/admin-trail.ts';
import { warnOfShortSecrets } from '../calls/hidden-secrets.ts';
import { createTestProviderKey } from '../calls/provider-keys/test-provider-key.ts';
import { runQuery } from '../platform/database/database-error.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { judgeRefusal } from '../public-data/judge-refusal.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Storage } from './storage.ts';

/** Half the time within which every replica must use a change (docs/contract.md#provider-keys). */
const POLL_MS = 500;

/** Test calls of all operators together: they use up the provider's quota. */
const TESTS_PER_MINUTE = 6;

/** Takes the stored keys of providers into use, and opens what operators manage them with. */
export async function openKeysOfProviders(
  context: GatewayContext,
  { database, vault, shared }: Storage,
  parts: Core & ReadinessParts,
) {
  const { hub, upstreams, callEntry, fingerprint, ownKeys } = parts;
  const { catalog, keySource, logger, securityLog, clock } = context;
  const { db } = database;
  const providerKeys = context.parts.add(
    await openProviderKeys({
      store: createProviderKeyStore({ db, vault, clock }),
      source: keySource,
      ownKeys,
      pollMs: POLL_MS,
      onChanged: (names) => {
        parts.describe();
        hub.listChanged();
        warnOfShortSecrets(names, keySource.secretOf, logger);
        for (const secretName of names) {
          securityLog.record('provider_key_changed', {
            secretName,
            origin: keySource.originOf(secretName),
          });
        }
      },
      onUnreadable: (secretName) =>
        logger.error(
          { secretName },
          'a stored provider key cannot be decrypted with ENCRYPTION_KEY; restore the key, or set the provider key again',
        ),
    }),
  );
  ownKeys.onChanged((changed) => {
    for (const { tenantId, name: secretName } of changed)
      securityLog.record('own_key_changed', { tenantId, secretName });
  });
  const limiter = createRateLimiter({
    ...shared('provider-key-tests'),
    limitPerMinute: TESTS_PER_MINUTE,
  });
  const testProviderKey = createTestProviderKey({
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
  return { ...parts, providerKeys, testProviderKey };
}

export type KeysOfProviders = Awaited<ReturnType<typeof openKeysOfProviders>>;
