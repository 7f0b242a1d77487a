import { randomBytes } from 'node:crypto';
import type pino from 'pino';
import { createOutageLog } from '../../platform/kernel/log-lines.ts';
import type { Bus } from '../../platform/redis/bus.ts';
import { TO_ALL } from '../../platform/redis/channels.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';

export interface GenerationsDeps {
  readonly redis?: Pick<RedisConnection, 'client' | 'reader' | 'canRead' | 'canWrite'> | undefined;
  readonly bus?: Pick<Bus, 'publish' | 'handle' | 'onOpen'> | undefined;
  readonly keyPrefix: string;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

/** Identities whose generation this process knows. */
const MAX_KNOWN = 10_000;
/** Longer than a response of a registered tool is fresh, or may replace a failure. */
const KEPT_MS = 7 * 86_400_000;

const KIND = 'cache.generation';

/**
 * The generation of the responses that were fetched under one identity: a part of their cache keys, so that a write makes
 * all of them unreachable at once, those that are still on their way included. Replicas hear of a write over the bus; one
 * that was away or has just started asks Redis once for each identity. Without Redis, each process is on its own.
 */
export function createGenerations({ redis, bus, keyPrefix, logger }: GenerationsDeps) {
  const reportFailure = createOutageLog(logger, 'Replicas may not learn of writes to APIs.');
  const known = new Map<string, string>();
  /** Of identities that are not known. Changes when known ones are forgotten: they may have had a later one. */
  let unknown = '';
  bus?.handle(KIND, ({ head }) => learn(String(head['identity']), String(head['generation'])));
  bus?.onOpen(() => known.clear());

  function learn(identity: string, generation: string): void {
    if (known.size >= MAX_KNOWN) {
      known.clear();
      unknown = redis ? '' : newGeneration();
    }
    known.set(identity, generation);
  }

  const nameOf = (identity: string): string => `${keyPrefix}generation:${identity}`;

  async function ask({ reader }: Pick<RedisConnection, 'reader'>, identity: string): Promise<void> {
    try {
      const generation = (await reader.getBuffer(nameOf(identity)))?.toString() ?? '';
      if (!known.has(identity)) learn(identity, generation);
    } catch (error) {
      reportFailure(error);
    }
  }

  return {
    /** As far as this process knows. */
    of: (identity: string): string => known.get(identity) ?? unknown,
    /** What to wait for before `of` is asked; undefined if nothing. Never rejects. */
    load: (identity: string): Promise<void> | undefined =>
      redis === undefined || known.has(identity) || !redis.canRead()
        ? undefined
        : ask(redis, identity),
    /** Begins a new generation. Resolves when the other replicas can know it. Never rejects. */
    async renew(identity: string): Promise<void> {
      const generation = newGeneration();
      learn(identity, generation);
      if (!redis?.canWrite()) return;
      try {
        await redis.client.set(nameOf(identity), generation, 'PX', KEPT_MS);
      } catch (error) {
        reportFailure(error);
      }
      await bus?.publish(TO_ALL, { kind: KIND, identity, generation });
    },
  };
}

const newGeneration = (): string => randomBytes(6).toString('base64url');
