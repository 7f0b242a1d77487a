import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFlakyRedis, testRedisUrl } from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../kernel/secret.ts';
import { connectBus } from './bus.ts';
import { TO_ALL } from './channels.ts';
import { connectRedis } from './redis-connection.ts';
import { createTopics } from './topics.ts';

const logger = { warn: () => undefined, info: () => undefined };
const item = (n: number) => ({ head: { n }, body: Buffer.from(`body ${n}`) });

/** A topic of one replica, and what it receives. */
async function open(keyPrefix: string, url = testRedisUrl ?? '') {
  const redis = connectRedis(new Secret(url), { logger });
  const bus = connectBus(new Secret(url), { client: redis.client, keyPrefix, logger });
  const received: string[] = [];
  const topic = createTopics(bus)('events', (subject, { head, body }) => {
    received.push(`${subject} ${head['n']} ${body}`);
  });
  onTestFinished(async () => {
    await topic.close();
    await bus.close();
    await redis.close();
  });
  await until(bus.isOpen);
  return { bus, topic, received };
}

describe.runIf(testRedisUrl)('topics', () => {
  test('send items to the replicas that listen to their subject, in order, and to no other', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [from, to, other] = [await open(prefix), await open(prefix), await open(prefix)];
    await to.topic.listen('a');
    await other.topic.listen('b');
    await until(() => from.topic.isAwaited('a') && from.topic.isAwaited('b'));
    await until(() => !from.topic.isAwaited('c'));
    for (let n = 0; n < 3; n++) from.topic.publish('a', item(n));
    from.topic.publish('b', item(9));
    await until(() => to.received.length === 3 && other.received.length === 1);
    expect(to.received).toEqual(['a 0 body 0', 'a 1 body 1', 'a 2 body 2']);
    expect(other.received).toEqual(['b 9 body 9']);
    expect(from.received).toEqual([]);
  });

  test('remember the hundred thousand subjects that were heard last', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [from, to] = [await open(prefix), await open(prefix)];
    await to.topic.listen('first');
    await until(() => from.topic.isAwaited('first'));
    for (let start = 0; start < 100_000; start += 1000) {
      const subjects = Array.from({ length: 1000 }, (_, n) => `s${start + n}`);
      await to.bus.publish(TO_ALL, { kind: 'events.listens', subjects });
    }
    await until(() => from.topic.isAwaited('s99999'));
    expect([from.topic.isAwaited('first'), from.topic.isAwaited('s0')]).toEqual([false, true]);
  });

  test('split what one turn publishes beyond a megabyte', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [from, to] = [await open(prefix), await open(prefix)];
    await to.topic.listen('a');
    await until(() => from.topic.isAwaited('a'));
    const body = Buffer.alloc(400_000, 'x');
    for (let n = 0; n < 6; n++) from.topic.publish('a', { head: { n }, body });
    await until(() => to.received.length === 6);
    expect(to.received.map((text) => text.slice(0, 4))).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => `a ${n} `),
    );
  });

  test('are silent again once no replica listens any more', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [from, to] = [await open(prefix), await open(prefix)];
    await to.topic.listen('a');
    await to.topic.listen('a');
    await until(() => from.topic.isAwaited('a'));
    to.topic.leave('a');
    from.topic.publish('a', item(1));
    await until(() => to.received.length === 1);
    expect(from.topic.isAwaited('a')).toBe(true);
    to.topic.leave('a');
    // Some of these may overtake what tells Redis that no replica listens.
    await until(() => {
      from.topic.publish('a', item(2));
      return !from.topic.isAwaited('a');
    });
    from.topic.publish('a', item(3));
    await to.topic.listen('b');
    await until(() => from.topic.isAwaited('b'));
    from.topic.publish('b', item(4));
    await until(() => to.received.includes('b 4 body 4'));
    expect(to.received).not.toContain('a 3 body 3');
  });

  test('are sent by a replica that does not know yet who listens', async () => {
    const prefix = `test:${randomUUID()}:`;
    const to = await open(prefix);
    await to.topic.listen('a');
    const from = await open(prefix);
    expect(from.topic.isAwaited('a')).toBe(true);
    from.topic.publish('a', item(1));
    await until(() => to.received.length === 1);
    await until(() => !from.topic.isAwaited('b'));
    expect(from.topic.isAwaited('a')).toBe(true);
  });

  test('are known to a replica that starts later, and count what cannot be sent', async () => {
    const prefix = `test:${randomUUID()}:`;
    const { proxy, url } = await openFlakyRedis();
    onTestFinished(() => proxy.close());
    const to = await open(prefix);
    await to.topic.listen('a');
    const from = await open(prefix, url);
    await until(() => from.topic.isAwaited('a'));
    proxy.cut();
    await until(() => !from.bus.isOpen());
    from.topic.publish('a', item(1));
    from.topic.publish('a', item(2));
    await until(() => from.bus.lost() === 2);
    proxy.mend();
    await until(from.bus.isOpen);
    expect(from.topic.isAwaited('a')).toBe(true);
    from.topic.publish('a', item(3));
    await until(() => to.received.length === 1);
    expect(to.received).toEqual(['a 3 body 3']);
  });
});
