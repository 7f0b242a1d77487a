import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testRedisUrl } from '../../../../test/support/redis.ts';
import { until } from '../../../../test/support/until.ts';
import type { ClientStream } from '../../../events/stream-hub.ts';
import { createByteBudget } from '../../../platform/kernel/byte-budget.ts';
import { Secret } from '../../../platform/kernel/secret.ts';
import { connectBus } from '../../../platform/redis/bus.ts';
import { connectRedis } from '../../../platform/redis/redis-connection.ts';
import { openRemoteSessions } from './remote-sessions.ts';
import { Session } from './session.ts';

const logger = { warn: () => undefined, info: () => undefined };
const KEY = 'key_of_the_stream';

/** A replica that holds a stream for every client id, and one hold for what is sent to them. */
async function openReplica(keyPrefix: string, maxBytes = 1_000_000) {
  const redis = connectRedis(new Secret(testRedisUrl ?? ''), { logger });
  const bus = connectBus(new Secret(testRedisUrl ?? ''), {
    client: redis.client,
    keyPrefix,
    logger,
  });
  onTestFinished(async () => {
    await bus.close();
    await redis.close();
  });
  const replies: string[] = [];
  const closing = new AbortController();
  const budget = createByteBudget(maxBytes);
  const streamOf = (clientId: string) =>
    ({
      clientId,
      apiKeyId: KEY,
      tenantId: 'ten_a',
      closed: closing.signal,
      end: () => closing.abort(),
      reply: async (pieces: readonly Buffer[]) =>
        void replies.push(Buffer.concat(pieces).toString()),
    }) as unknown as ClientStream;
  const sessions = openRemoteSessions({
    bus,
    ownSession: (clientId) => {
      const stream = streamOf(clientId);
      return Object.assign(new Session(stream), { stream });
    },
    openMemory: () => budget.open('ten_a'),
  });
  await until(bus.isOpen);
  return { bus, sessions, replies, closed: closing.signal, budget };
}

describe.runIf(testRedisUrl)('sessions whose stream another replica holds', () => {
  const openBoth = async (maxBytes?: number) => {
    const prefix = `test:${randomUUID()}:`;
    const [here, owner] = [await openReplica(prefix), await openReplica(prefix, maxBytes)];
    const find = (n: number, key = KEY) => here.sessions.find(`cli_${n}_${owner.bus.replica}`, key);
    return { here, owner, find };
  };

  test('are at most ten thousand; the least recently used one ends, and is found again', async () => {
    const { find } = await openBoth();
    const first = await find(0);
    for (let n = 1; n <= 10_000; ) {
      const found = await Promise.all(Array.from({ length: 100 }, (_, at) => find(n + at)));
      // On a busy machine, an owner may answer too late.
      if (found.every(Boolean)) n += 100;
    }
    expect(first?.stream.closed.aborted).toBe(true);
    const again = await find(0);
    expect(again).not.toBe(first);
    expect(again?.stream.closed.aborted).toBe(false);
    expect(await find(0, 'another key')).toBeUndefined();
  });

  test('get replies in pieces, which count against the memory of the tenant until they are sent', async () => {
    const { owner, find } = await openBoth(4_000_000);
    const session = await find(1);
    const reply = 'x'.repeat(600_000);
    await session?.stream.reply([reply]);
    expect(owner.replies).toEqual([reply]);
    expect(owner.budget.stats().usedBytes).toBe(0);
    await session?.stream.reply(Array.from({ length: 8 }, () => reply));
    expect(owner.replies).toHaveLength(1);
    expect(owner.closed.aborted).toBe(true);
    expect(session?.stream.closed.aborted).toBe(true);
    expect(owner.budget.stats().usedBytes).toBe(0);
  });
});
