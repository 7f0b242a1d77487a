import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeSse } from '../../../test/support/decode-sse.ts';
import { encodeSseEvent, KEEPALIVE_COMMENT } from '../../events/event-stream.ts';
import { readEvents } from './exchange.ts';

/** The events of a stream that arrives in these chunks. */
async function read(...chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  return await Array.fromAsync(readEvents(stream()));
}

/** Splits bytes at offsets that are given as fractions of the length. */
function cut(bytes: Buffer, fractions: readonly number[]): Buffer[] {
  const at = [0, ...fractions.map((part) => Math.floor(part * bytes.length)), bytes.length];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });

describe('readEvents', () => {
  test('reads what the gateway writes, wherever the network splits it', async () => {
    const messages = fc.array(fc.json({ stringUnit: 'binary' }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(messages, fractions, async (texts, offsets) => {
        const stream = texts.map((text) => encodeSseEvent('message', text) + KEEPALIVE_COMMENT);
        expect(await read(...cut(Buffer.from(stream.join('')), offsets))).toEqual(texts);
      }),
    );
  });

  test('reads any stream as the standard specifies, wherever it is split', async () => {
    const piece = fc.constantFrom(
      ...['\r\n', '\r', '\n', '\n\n', '\r\r', ' ', ':', 'data', 'data:', 'data: 한글', 'event: x'],
      ...['id: 1', ': comment', '{"a":1}', 'retry: 5'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fractions, async (pieces, offsets) => {
        const text = pieces.join('');
        const { events } = decodeSse(text);
        expect(await read(...cut(Buffer.from(text), offsets))).toEqual(
          events.map(({ data }) => data),
        );
      }),
    );
  });

  test('yields an event as soon as its last byte arrives, with any line ending', async () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const events = readEvents(
        (async function* () {
          yield Buffer.from(`data: 1${end}${end}`);
          await new Promise(() => {});
        })(),
      );
      expect(await events.next()).toEqual({ done: false, value: '1' });
    }
  });

  test('joins the lines of an event, and skips a byte order mark', async () => {
    expect(await read('\ufeffdata: {"a":\ndata:1}\n\n')).toEqual(['{"a":\n1}']);
  });

  test('drops an event that is incomplete when the stream ends', async () => {
    expect(await read('data: 1\n\ndata: 2\n')).toEqual(['1']);
    expect(await read('data: 1\n\ndata: 2')).toEqual(['1']);
  });
});
