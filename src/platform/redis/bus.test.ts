import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FlakyProxy } from '../../../test/support/flaky-proxy.ts';
import { openFlakyRedis, testRedisUrl } from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../kernel/secret.ts';
import { type Bus, connectBus } from './bus.ts';
import { TO_ALL, toReplica } from './channels.ts';
import { connectRedis } from './redis-connection.ts';

const logger = { warn: () => undefined, info: () => undefined };

async function open(keyPrefix: string, url = testRedisUrl ?? ''): Promise<Bus> {
  const redis = connectRedis(new Secret(url), { logger });
  const bus = connectBus(new Secret(url), { client: redis.client, keyPrefix, logger });
  onTestFinished(async () => {
    await bus.close();
    await redis.close();
  });
  await until(bus.isOpen);
  return bus;
}

describe.runIf(testRedisUrl)('the bus', () => {
  test('delivers messages of a replica in order to the others, and not to itself', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [first, second, third] = [await open(prefix), await open(prefix), await open(prefix)];
    const received: unknown[] = [];
    for (const bus of [first, second, third]) {
      bus.handle('greet', ({ head, body }) => void received.push([head['n'], body.toString()]));
    }
    expect(await first.publish(TO_ALL, { kind: 'greet', n: 1 }, Buffer.from('a\nb'))).toBe(2);
    expect(await first.publish(toReplica(second.replica), { kind: 'greet', n: 2 })).toBe(1);
    expect(await first.publish('unheard', { kind: 'greet', n: 3 })).toBe(0);
    await until(() => received.length === 3);
    expect(received.slice(0, 2)).toEqual([
      [1, 'a\nb'],
      [1, 'a\nb'],
    ]);
    expect(received[2]).toEqual([2, '']);
  });

  test('resolves a question with every answer, at once if nobody hears it, and in time otherwise', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [asking, silent, willing] = [await open(prefix), await open(prefix), await open(prefix)];
    willing.handle('add', ({ head }) => ({ sum: Number(head['a']) + 1 }));
    const [answer] = await asking.ask(
      toReplica(willing.replica),
      { kind: 'add', a: 1 },
      { timeoutMs: 60_000 },
    );
    expect(answer).toMatchObject({ sum: 2 });
    expect(await asking.ask('unheard', { kind: 'add' }, { timeoutMs: 60_000 })).toEqual([]);
    silent.handle('add', () => new Promise(() => undefined));
    const late = await asking.ask(TO_ALL, { kind: 'add', a: 4 }, { timeoutMs: 500 });
    expect(late).toMatchObject([{ sum: 5 }]);
  });

  test('has at most a thousand questions at once; further ones are not asked', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [asking, silent] = [await open(prefix), await open(prefix)];
    let received = 0;
    silent.handle('wait', () => {
      received++;
      return new Promise(() => undefined);
    });
    const ask = () => asking.ask(toReplica(silent.replica), { kind: 'wait' }, { timeoutMs: 5000 });
    const asked = Array.from({ length: 1000 }, ask);
    expect(await ask()).toEqual([]);
    await Promise.all(asked);
    expect(received).toBe(1000);
    await asking.ask(toReplica(silent.replica), { kind: 'wait' }, { timeoutMs: 500 });
    expect(received).toBe(1001);
  });

  test('survives a handler that throws, and bytes that are no message', async () => {
    const prefix = `test:${randomUUID()}:`;
    const [first, second] = [await open(prefix), await open(prefix)];
    const received: unknown[] = [];
    second.handle('bad', () => {
      throw new Error('bad');
    });
    second.handle('good', ({ head }) => void received.push(head['n']));
    const raw = connectRedis(new Secret(testRedisUrl ?? ''), { logger });
    onTestFinished(raw.close);
    await until(() => raw.client.status === 'ready');
    for (const text of ['', 'x', '{"from":', '[]\n', '{"from":1}\n']) {
      await raw.client.publish(`${prefix}bus:${TO_ALL}`, text);
    }
    await first.publish(TO_ALL, { kind: 'bad' });
    await first.publish(TO_ALL, { kind: 'good', n: 1 });
    await until(() => received.length === 1);
  });

  test('joins its channels again after the connection was lost', async () => {
    const prefix = `test:${randomUUID()}:`;
    const { proxy, url }: { proxy: FlakyProxy; url: string } = await openFlakyRedis();
    onTestFinished(() => proxy.close());
    const [steady, cut] = [await open(prefix), await open(prefix, url)];
    const received: unknown[] = [];
    cut.handle('n', ({ head }) => void received.push(head['n']));
    await cut.join('extra');
    proxy.cut();
    await until(() => !cut.isOpen());
    expect(await cut.publish(TO_ALL, { kind: 'n' })).toBe(0);
    proxy.mend();
    await until(cut.isOpen);
    await steady.publish('extra', { kind: 'n', n: 7 });
    await until(() => received.length === 1);
    expect(received).toEqual([7]);
  });
});
