import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import type { ClientStream } from './client-stream.ts';
import { createStreamHub, type StreamHub } from './stream-hub.ts';

interface RecordedStream extends ClientStream {
  readonly received: string[];
  ended: boolean;
}

const warnings: unknown[] = [];
const logger = { warn: (...line: unknown[]) => void warnings.push(line) };

afterEach(() => {
  warnings.length = 0;
});

/** A stream added to the hub that writes down what it is sent. */
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
    closed: new AbortController().signal,
    mayUse: ({ name }) => allowed?.includes(name) ?? true,
    send: ({ data }) => void stream.received.push(data),
    reply: () => Promise.resolve(),
    toolsChanged: (allowedTools) => {
      allowed = allowedTools;
      stream.received.push('tools changed');
    },
    end: () => {
      stream.ended = true;
    },
  };
  hub.add(stream);
  return stream;
}

const event = (data: string) => ({ name: 'message', data });

/** More streams than are served at once. */
function openMany(hub: StreamHub, count = 1234): RecordedStream[] {
  return Array.from({ length: count }, (_, i) => open(hub, `sse_${i}`));
}

describe('publishing', () => {
  it('reaches every stream of the tenant and none of another', () => {
    const hub = createStreamHub({ logger });
    const mine = [open(hub, 'a'), open(hub, 'b', 'ten_1', 'key_2')];
    const theirs = open(hub, 'c', 'ten_2', 'key_3');
    hub.publish('ten_1', event('1'));
    expect(mine.map((stream) => stream.received)).toEqual([['1'], ['1']]);
    expect(theirs.received).toEqual([]);
  });

  it('reaches the named stream alone', () => {
    const hub = createStreamHub({ logger });
    const [a, b] = [open(hub, 'a'), open(hub, 'b')];
    hub.publish('ten_1', event('1'), 'b');
    expect([a.received, b.received]).toEqual([[], ['1']]);
  });

  it('reaches nobody when the named stream is another tenant’s, or unknown', () => {
    const hub = createStreamHub({ logger });
    const [mine, theirs] = [open(hub, 'a'), open(hub, 'b', 'ten_2')];
    hub.publish('ten_1', event('1'), 'b');
    hub.publish('ten_1', event('1'), 'unknown');
    hub.publish('ten_3', event('1'));
    expect([mine.received, theirs.received]).toEqual([[], []]);
  });

  it('does not reach a stream that was removed', () => {
    const hub = createStreamHub({ logger });
    const [a, b] = [open(hub, 'a'), open(hub, 'b')];
    hub.remove('a');
    hub.remove('a');
    hub.publish('ten_1', event('1'));
    expect([a.received, b.received]).toEqual([[], ['1']]);
  });
});

describe('publishing to very many streams', () => {
  it('lets other work have its turn and still reaches the last one', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', event('1'));
    expect(streams.filter((stream) => stream.received.length > 0).length).toBeLessThan(1234);
    await until(() => streams.at(-1)?.received.length === 1);
    expect(streams.every((stream) => stream.received.length === 1)).toBe(true);
  });

  it('keeps the order for every stream, also where one event is meant for it alone', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', event('1'));
    hub.publish('ten_1', event('2'), 'sse_1233');
    hub.publish('ten_1', event('3'));
    await until(() => streams.at(-1)?.received.length === 3);
    expect(streams.at(-1)?.received).toEqual(['1', '2', '3']);
    expect(streams.slice(0, -1).every(({ received }) => received.join() === '1,3')).toBe(true);
  });

  it('does not make another tenant wait', () => {
    const hub = createStreamHub({ logger });
    openMany(hub);
    const other = open(hub, 'other', 'ten_2');
    hub.publish('ten_1', event('1'));
    hub.publish('ten_2', event('2'));
    expect(other.received).toEqual(['2']);
  });

  it('sends nothing more to a stream that closes on the way', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', event('1'));
    hub.remove('sse_1232');
    await until(() => streams.at(-1)?.received.length === 1);
    expect(streams.at(-2)?.received).toEqual([]);
  });

  it('drops events rather than holding ever more of them, and warns once', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub, 501);
    for (let i = 0; i < 2000; i++)
      hub.publish('ten_1', event(`${i}`), i === 0 ? undefined : 'sse_0');
    await until(() => streams.at(-1)?.received.length === 1);
    expect(streams[0]?.received).toEqual(Array.from({ length: 1000 }, (_, i) => `${i}`));
    expect(warnings).toHaveLength(1);
  });
});

describe('counting', () => {
  it('knows whether a tenant has anybody listening', () => {
    const hub = createStreamHub({ logger });
    expect(hub.hasStreams('ten_1')).toBe(false);
    open(hub, 'a');
    expect(hub.hasStreams('ten_1')).toBe(true);
    expect(hub.hasStreams('ten_2')).toBe(false);
    expect(hub.count()).toBe(1);
    hub.remove('a');
    expect(hub.hasStreams('ten_1')).toBe(false);
    expect(hub.count()).toBe(0);
  });

  it('has room for so many streams of one key', () => {
    const hub = createStreamHub({ logger, maxStreamsPerKey: 2 });
    open(hub, 'a');
    expect(hub.hasRoom('key_1')).toBe(true);
    open(hub, 'b');
    expect(hub.hasRoom('key_1')).toBe(false);
    expect(hub.hasRoom('key_2')).toBe(true);
    hub.remove('a');
    expect(hub.hasRoom('key_1')).toBe(true);
  });
});

describe('changes of tools', () => {
  it('are told to every stream of the key, also to one that hears of nothing else', () => {
    const hub = createStreamHub({ logger });
    const client = open(hub, 'a');
    const other = open(hub, 'b', 'ten_1', 'key_2');
    let told = 0;
    const listener = {
      ...{ clientId: 'c', tenantId: 'ten_1', apiKeyId: 'key_1' },
      toolsChanged: () => void told++,
      end: () => undefined,
    };
    hub.add(listener);
    hub.publish('ten_1', event('1'));
    hub.toolsChanged('key_1', null);
    hub.toolsChanged('key_unknown', null);
    expect(client.received).toEqual(['1', 'tools changed']);
    expect(other.received).toEqual(['1']);
    expect(told).toBe(1);
  });
});

describe('events of a tool', () => {
  const ofTool = (name: string) => ({ ...event(name), tool: { name, category: 'weather' } });

  it('reach only streams whose key may use it, as the key is now', () => {
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

  it('follow a change that came while the rest of them waited for their turn', async () => {
    const hub = createStreamHub({ logger });
    const streams = openMany(hub);
    hub.publish('ten_1', ofTool('tour'));
    hub.toolsChanged('key_1', ['kma']);
    hub.publish('ten_1', ofTool('kma'));
    await until(() => streams.at(-1)?.received.at(-1) === 'kma');
    expect(streams.at(-1)?.received).toEqual(['tools changed', 'kma']);
  });

  it('follow a change that came while the stream was being opened', () => {
    const hub = createStreamHub({ logger });
    hub.toolsChanged('key_1', ['kma']);
    const stream = open(hub, 'a');
    hub.publish('ten_1', ofTool('tour'));
    expect(stream.received).toEqual(['tools changed']);
  });
});

describe('changes of very many keys', () => {
  it('are forgotten, the oldest first', () => {
    const hub = createStreamHub({ logger });
    for (let i = 0; i <= 1000; i++) hub.endForKey(`key_${i}`);
    expect(open(hub, 'a', 'ten_1', 'key_0').ended).toBe(false);
    expect(open(hub, 'b', 'ten_1', 'key_1').ended).toBe(true);
  });
});

describe('finding', () => {
  it('finds client streams and no others', () => {
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
  it('ends the streams of a key and no others', () => {
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

  it('ends all streams on close, which may come twice', async () => {
    const hub = createStreamHub({ logger });
    const streams = [open(hub, 'a'), open(hub, 'b', 'ten_2')];
    await hub.close();
    await hub.close();
    expect(streams.every((stream) => stream.ended)).toBe(true);
    expect(hub.count()).toBe(0);
  });

  it('ends a stream whose key was revoked while it was being opened', () => {
    const hub = createStreamHub({ logger });
    hub.endForKey('key_1');
    expect(open(hub, 'a').ended).toBe(true);
    expect(open(hub, 'b', 'ten_1', 'key_2').ended).toBe(false);
    expect(hub.count()).toBe(1);
  });

  it('ends a stream at once that comes after the close', async () => {
    const hub = createStreamHub({ logger });
    await hub.close();
    expect(open(hub, 'late').ended).toBe(true);
    expect(hub.count()).toBe(0);
  });
});
