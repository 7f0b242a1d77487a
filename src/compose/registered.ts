import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import { loggableError } from '../calls/log-call.ts';
import { publishJob } from '../dialects/events/dialect.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { memoryLimits, registrationMemory } from '../platform/kernel/memory-limit.ts';
import { workerScript } from '../platform/kernel/worker-queue.ts';
import { decodeServiceKey } from '../public-data/service-key.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { openRegistrations } from '../registrations/open-registrations.ts';
import { createDescriptionCompiler } from '../registrations/steps/description-compiler.ts';
import { createFetchDescription } from '../registrations/steps/registration-steps.ts';
import { PROPOSAL_TESTS_PER_MINUTE } from '../registrations/store/registration-bounds.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Storage } from './storage.ts';

/** Opens what tenants register: the jobs, the threads that compile descriptions, and the tools in the catalog. */
export async function openRegistered(
  { settings, clock, logger, parts, catalog }: GatewayContext,
  { database, vault, shared }: Storage,
  { guarded, budget, hub, providerKeys, maySend }: Core & ReadinessParts,
) {
  const memory = registrationMemory(memoryLimits(settings.MEMORY_LIMIT_BYTES));
  const compiler = parts.add(
    createDescriptionCompiler({
      script: workerScript('./description-worker', import.meta.url),
      domain: PUBLIC_DATA_TOOLS,
      urls: guarded.urls,
      maxHeapMib: memory.threadHeapMib,
    }),
  );
  const tests = createRateLimiter({
    ...shared('proposal-tests'),
    limitPerMinute: PROPOSAL_TESTS_PER_MINUTE,
  });
  const registrations = parts.add(
    await openRegistrations({
      db: database.db,
      vault,
      clock,
      catalog,
      compiler,
      client: guarded.client,
      createTokens: guarded.createTokens,
      fetchDocument: createFetchDescription({
        documents: guarded.documents,
        budget,
        maxBytes: settings.REGISTRATION_MAX_BYTES,
      }),
      families: PUBLIC_DATA_TOOLS.families,
      keyOf: (tenantId, name) => providerKeys.of(tenantId)?.stored.get(name),
      maySend,
      countTest: async (tenantId) => {
        const { allowed, retryAfterSeconds } = await tests.consume(tenantId);
        if (!allowed) throw tooManyTests(retryAfterSeconds);
      },
      decodePortalKey: decodeServiceKey,
      maxLayerBytes: memory.layerBytes,
      onChanged: (job, owner) => publishJob(hub, job, owner),
      onListChanged: hub.listChanged,
      onError: (error, subjectId) =>
        logger.error({ subjectId, err: loggableError(error, undefined) }, 'a registration failed'),
    }),
  );
  return { registrations };
}

const tooManyTests = (retryAfterSeconds: number): GatewayError =>
  new GatewayError(
    'rate_limited',
    `Only ${PROPOSAL_TESTS_PER_MINUTE} tests a minute, because each is a call to the API. Retry in ${retryAfterSeconds} s.`,
    { details: { retryAfterSeconds } },
  );

export type Registered = Awaited<ReturnType<typeof openRegistered>>;
