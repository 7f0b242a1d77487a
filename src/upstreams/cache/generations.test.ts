import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testRedisUrl } from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { connectBus } from '../../platform/redis/bus.ts';
import { connectRedis } from '../../platform/redis/redis-connection.ts';
import { createGenerations } from './generations.ts';

const logger = { warn: () => undefined, info: () => undefined };

async function openReplica(keyPrefix: string) {
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
  await until(() => bus.isOpen() && redis.canRead());
  return createGenerations({ redis, bus, keyPrefix, logger });
}

test('a write begins a new generation of one identity, and of no other', async () => {
  const generations = createGenerations({ keyPrefix: '', logger });
  expect(generations.load('a')).toBeUndefined();
  const before = generations.of('a');
  await generations.renew('a');
  expect(generations.of('a')).not.toBe(before);
  expect(generations.of('b')).toBe(before);
});

test('a generation that was forgotten does not come back', async () => {
  const generations = createGenerations({ keyPrefix: '', logger });
  const first = generations.of('a');
  for (let identity = 0; identity <= 10_000; identity++) await generations.renew(`${identity}`);
  expect(generations.of('a')).not.toBe(first);
});

describe.runIf(testRedisUrl)('generations of several replicas', () => {
  test('follow a write of any of them, also where a replica starts later', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [writer, other] = [await openReplica(prefix), await openReplica(prefix)];
    await other.load('a');
    expect(other.load('a')).toBeUndefined();
    const before = other.of('a');
    await writer.renew('a');
    await until(() => other.of('a') !== before);
    expect(other.of('a')).toBe(writer.of('a'));
    const late = await openReplica(prefix);
    await late.load('a');
    expect(late.of('a')).toBe(writer.of('a'));
  });
});
