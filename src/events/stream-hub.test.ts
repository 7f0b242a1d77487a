import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeSse } from '../../test/support/decode-sse.ts';
import { until } from '../../test/support/until.ts';
import { encodeSseEvent } from './event-stream.ts';
import { type ClientStream, createStreamHub, type StreamHub } from './stream-hub.ts';

interface RecordedStream extends ClientStream {
  readonly received: string[];
  ended: boolean;
}

const warnings: unknown[] = [];
const logger = { warn: (...line: unknown[]) => void warnings.push(line) };

afterEach(() => {
  warnings.length = 0;
});

/** A stream added to the hub that records what it receives. */
function open(
  hub: StreamHub,
  clientId: string,
  tenantId = 'ten_1',
  apiKeyId = 'key_1',
): RecordedStream {
  let allowed: readonly string[] | null = null;
  const stream: RecordedStream = {
    clientId,
    tenantId,
    apiKeyId,
    received: [],
    ended: false,
    isOperator: apiKeyId === 'operator',
    closed: new AbortController().signal,
    mayUse: ({ name }) => allowed?.includes(name) ?? true,
    send: (frame) => void stream.received.push(decodeSse(String(frame)).events[0]?.data ?? ''),
    reply: () => Promise.resolve(),
    toolsChanged: (allowedTools) => {
      allowed = allowedTools;
      stream.received.push('tools changed');
    },
    listChanged: () => void stream.received.push('list changed'),
    end: () => {
      stream.ended = true;
    },
  };
  hub.add(stream);
  return stream;
}

const event = (data: string) => ({ frame: encodeSseEvent('message', data) });

/** More streams than one slice. */
function openMany(hub: StreamHub, count = 1234): RecordedStream[] {
  return Array.from({ length: count }, (_, i) => open(hub, `sse_${i}`));
}

describe('publishing', () => {
  it('reaches every stream of the tenant and no stream of another tenant', () => {
    const hub = createStreamHub({ logger });
    const mine = [open(hub, 'a'), open(hub, 'b', 'ten_1', 'key_2')];
    const theirs = open(hub, 'c', 'ten_2', 'key_3');
    hub.publish('ten_1', event('1'));
    expect(mine.map((stream) => stream.received)).toEqual([['1'], ['1']]);
    expect(theirs.received).toEqual([]);
  });

  it('reaches the streams of operators, of whichever tenant', () => {
    const hub = createStreamHub({ logger });
    const [operator, other] = [open(hub, 'sse_1', 'ten_2', 'operator'), open(hub, 'sse_2')];
    hub.publishToOperators(event('running out').frame);
    expect([operator.received, other.received]).toEqual([['running out'], []]);
  });

  it('reaches only the named stream', () => {
    const hub = createStreamHub({ logger });
    const [a, b] = [open(hub, 'a'), open(hub, 'b')];
    hub.publish('ten_1', event('1'), 'b');
    expect([a.received, b.received]).toEqual([[], ['1']]);
  });

  it('reaches no stream if the named one is unknown or belongs to another tenant', () => {
    const hub = createStreamHub({ logger });
    const [mine, theirs] = [open(hub, 'a'), open(hub, 'b', 'ten_2')];
    hub.publish('ten_1', event('1'), 'b');
    hub.publish('ten_1', event('1'), 'unknown');
    hub.publish('ten_3', event('1'));
    expect([mine.received, theirs.received]).toEqual([[], []]);
  });

  it('does not reach a removed stream', () => {
    const hub = createStreamHub({ logger });
    const [a, b] = [open(hub, 'a'), open(hub, 'b')];
    hub.remove('a');
    hub.remove('a');
    hub.publish('ten_1', event('1'));
    expect([a.received, b.received]).toEqual([[], ['1']]);
  });
});

describe('publishing to a key', () => {
  it('reaches every stream of that key in order, and no stream of another key, whatever its tenant', () => {
    const key = fc.constantFrom('key_1', 'key_2', 'key_3');
    const tenants = { key_1: 'ten_1', key_2: 'ten_1', key_3: 'ten_2' };
    fc.assert(
      fc.property(fc.array(key), fc.array(key), (owners, published) => {
        const hub = createStreamHub({ logger });
        const streams = owners.map((owner, at) => open(hub, `sse_${at}`, tenants[owner], owner));
        for (const [at, owner] of published.entries()) {
          hub.publishToKey({ tenantId: tenants[owner], apiKeyId: owner }, event(`${at}`).frame);
        }
        for (const { apiKeyId, received } of streams) {
          const own = published.flatMap((owner, at) => (owner === apiKeyId ? [`${at}`] : []));
          expect(received).toEqual(own);
        }
      }),
    );
  });

  it('skips streams that receive no events, and those that are closed', async () => {
    const hub = createStreamHub({ logger });
    const closed = open(hub, 'a');
    hub.remove('a');
    const { send: _send, ...listening } = open(createStreamHub({ logger }), 'b');
    hub.add({ ...listening, toolsChanged: () => undefined });
    const last = open(hub, 'c');
    const key = { tenantId: 'ten_1', apiKeyId: 'key_1' };
    hub.publishToKey(key, event('1').frame);
    expect([closed.received, listening.received, last.received]).toEqual([[], [], ['1']]);
  });
});

describe('publishing to very many streams', () => {
  it('lets other work run in between and still reaches the last stream', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', event('1'));
    expect(streams.filter((stream) => stream.received.length > 0).length).toBeLessThan(1234);
    await until(() => streams.at(-1)?.received.length === 1);
    expect(streams.every((stream) => stream.received.length === 1)).toBe(true);
  });

  it('preserves the order for every stream, even of an event for that stream alone', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', event('1'));
    hub.publish('ten_1', event('2'), 'sse_1233');
    hub.publish('ten_1', event('3'));
    await until(() => streams.at(-1)?.received.length === 3);
    expect(streams.at(-1)?.received).toEqual(['1', '2', '3']);
    expect(streams.slice(0, -1).every(({ received }) => received.join() === '1,3')).toBe(true);
  });

  it('does not delay another tenant', () => {
    const hub = createStreamHub({ logger });
    openMany(hub);
    const other = open(hub, 'other', 'ten_2');
    hub.publish('ten_1', event('1'));
    hub.publish('ten_2', event('2'));
    expect(other.received).toEqual(['2']);
  });

  it('sends nothing to a stream that closes before its turn', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', event('1'));
    hub.remove('sse_1232');
    await until(() => streams.at(-1)?.received.length === 1);
    expect(streams.at(-2)?.received).toEqual([]);
  });

  it('drops events when the queue is full, and warns once', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub, 501);
    for (let i = 0; i < 2000; i++)
      hub.publish('ten_1', event(`${i}`), i === 0 ? undefined : 'sse_0');
    await until(() => (streams[0]?.received.length ?? 0) >= 1000);
    expect(streams[0]?.received).toEqual(Array.from({ length: 1000 }, (_, i) => `${i}`));
    expect(warnings).toHaveLength(1);
  });
});

describe('counting', () => {
  it('knows whether a tenant has client streams', () => {
    const hub = createStreamHub({ logger });
    expect(hub.isAwaited('ten_1')).toBe(false);
    open(hub, 'a');
    expect(hub.isAwaited('ten_1')).toBe(true);
    expect(hub.isAwaited('ten_2')).toBe(false);
    expect(hub.count()).toBe(1);
    hub.remove('a');
    expect(hub.isAwaited('ten_1')).toBe(false);
    expect(hub.count()).toBe(0);
  });

  it('has room for 100 streams of one key', () => {
    const hub = createStreamHub({ logger });
    const assertRoom = (apiKeyId: string) => hub.assertRoom({ tenantId: 'ten_1', apiKeyId });
    openMany(hub, 99);
    assertRoom('key_1');
    open(hub, 'a');
    expect(() => assertRoom('key_1')).toThrow('This API key has too many open streams');
    assertRoom('key_2');
    hub.remove('a');
    assertRoom('key_1');
  });

  it('has room for so many streams of one tenant, whatever its keys', () => {
    const hub = createStreamHub({ logger, maxPerTenant: 50 });
    const assertRoom = (tenantId: string) => hub.assertRoom({ tenantId, apiKeyId: 'key_9' });
    openMany(hub, 49);
    assertRoom('ten_1');
    open(hub, 'a');
    expect(() => assertRoom('ten_1')).toThrow('This tenant has too many open streams');
    assertRoom('ten_2');
    expect(hub.count('ten_1')).toBe(50);
    hub.remove('a');
    hub.remove('a');
    assertRoom('ten_1');
    expect(hub.count('ten_1')).toBe(49);
  });
});

describe('changes of tools', () => {
  it('are reported to every stream of the key, even to one that receives no events', () => {
    const hub = createStreamHub({ logger });
    const client = open(hub, 'a');
    const other = open(hub, 'b', 'ten_1', 'key_2');
    let notified = 0;
    const listener = {
      ...{ clientId: 'c', tenantId: 'ten_1', apiKeyId: 'key_1' },
      toolsChanged: () => void notified++,
      listChanged: () => undefined,
      end: () => undefined,
    };
    hub.add(listener);
    hub.publish('ten_1', event('1'));
    hub.toolsChanged('key_1', null);
    hub.toolsChanged('key_unknown', null);
    expect(client.received).toEqual(['1', 'tools changed']);
    expect(other.received).toEqual(['1']);
    expect(notified).toBe(1);
  });
});

describe('a change of the catalog', () => {
  it('is announced to all streams of the tenant, of every key and kind, and to no others', () => {
    const hub = createStreamHub({ logger });
    const mine = [open(hub, 'a'), open(hub, 'b', 'ten_1', 'key_2')];
    const theirs = open(hub, 'c', 'ten_2', 'key_3');
    let notified = 0;
    hub.add({
      clientId: 'd',
      tenantId: 'ten_1',
      apiKeyId: 'key_1',
      toolsChanged: () => undefined,
      listChanged: () => void notified++,
      end: () => undefined,
    });
    hub.listChanged('ten_1');
    expect([...mine, theirs].map(({ received }) => received)).toEqual([
      ['list changed'],
      ['list changed'],
      [],
    ]);
    expect(notified).toBe(1);
    hub.listChanged();
    expect(theirs.received).toEqual(['list changed']);
    expect(notified).toBe(2);
  });

  it('does not change what a key may use', () => {
    const hub = createStreamHub({ logger });
    const stream = open(hub, 'a');
    hub.toolsChanged('key_1', ['kma']);
    hub.listChanged('ten_1');
    hub.publish('ten_1', {
      ...event('tour'),
      tool: { id: 'culture.tour.tour', name: 'tour', category: 'culture' },
    });
    expect(stream.received).toEqual(['tools changed', 'list changed']);
  });
});

describe('events of a tool', () => {
  const ofTool = (name: string) => ({
    ...event(name),
    tool: { id: `weather.sky.${name}`, name, category: 'weather' },
  });

  it('reach only streams whose key may use the tool now', () => {
    const hub = createStreamHub({ logger });
    const [all, some] = [open(hub, 'a'), open(hub, 'b', 'ten_1', 'key_2')];
    hub.toolsChanged('key_2', ['kma']);
    for (const name of ['kma', 'tour']) hub.publish('ten_1', ofTool(name));
    hub.publish('ten_1', ofTool('tour'), 'b');
    hub.toolsChanged('key_2', null);
    hub.publish('ten_1', ofTool('tour'));
    expect(all.received).toEqual(['kma', 'tour', 'tour']);
    expect(some.received).toEqual(['tools changed', 'kma', 'tools changed', 'tour']);
  });

  it('respect a change of the key that occurs while they are queued', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', ofTool('tour'));
    hub.toolsChanged('key_1', ['kma']);
    hub.publish('ten_1', ofTool('kma'));
    await until(() => streams.at(-1)?.received.at(-1) === 'kma');
    expect(streams.at(-1)?.received).toEqual(['tools changed', 'kma']);
  });

  it('respect a change of the key that occurs while the stream is being opened', () => {
    const hub = createStreamHub({ logger });
    hub.toolsChanged('key_1', ['kma']);
    const stream = open(hub, 'a');
    hub.publish('ten_1', ofTool('tour'));
    expect(stream.received).toEqual(['tools changed']);
  });
});

describe('changes of very many keys', () => {
  it('are forgotten, oldest first', () => {
    const hub = createStreamHub({ logger });
    for (let i = 0; i <= 1000; i++) hub.endForKey(`key_${i}`);
    expect(open(hub, 'a', 'ten_1', 'key_0').ended).toBe(false);
    expect(open(hub, 'b', 'ten_1', 'key_1').ended).toBe(true);
  });
});

describe('finding', () => {
  it('finds only client streams', () => {
    const hub = createStreamHub({ logger });
    const client = open(hub, 'a');
    const { send: _send, ...listener } = client;
    hub.add({ ...listener, clientId: 'c' });
    expect(hub.find('a')).toBe(client);
    expect(hub.find('c')).toBeUndefined();
    expect(hub.find('unknown')).toBeUndefined();
  });
});

describe('ending', () => {
  it('ends only the streams of the key', () => {
    const hub = createStreamHub({ logger });
    const revoked = [open(hub, 'a'), open(hub, 'b')];
    const kept = open(hub, 'c', 'ten_1', 'key_2');
    hub.endForKey('key_1');
    hub.endForKey('key_unknown');
    expect(revoked.map((stream) => stream.ended)).toEqual([true, true]);
    hub.publish('ten_1', event('1'));
    expect(revoked.map((stream) => stream.received)).toEqual([[], []]);
    expect(kept).toMatchObject({ ended: false, received: ['1'] });
    expect(hub.count()).toBe(1);
  });

  it('ends all streams on close, which may be called twice', async () => {
    const hub = createStreamHub({ logger });
    const streams = [open(hub, 'a'), open(hub, 'b', 'ten_2')];
    await hub.close();
    await hub.close();
    expect(streams.every((stream) => stream.ended)).toBe(true);
    expect(hub.count()).toBe(0);
  });

  it('ends a stream whose key is revoked while the stream is being opened', () => {
    const hub = createStreamHub({ logger });
    hub.endForKey('key_1');
    expect(open(hub, 'a').ended).toBe(true);
    expect(open(hub, 'b', 'ten_1', 'key_2').ended).toBe(false);
    expect(hub.count()).toBe(1);
  });

  it('ends a stream at once if it is added after close', async () => {
    const hub = createStreamHub({ logger });
    await hub.close();
    expect(open(hub, 'late').ended).toBe(true);
    expect(hub.count()).toBe(0);
  });
});
