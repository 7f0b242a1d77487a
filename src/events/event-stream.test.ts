import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/support/arbitrary-text.ts';
import { decodeSse } from '../../test/support/decode-sse.ts';
import { encodeSseEvent, KEEPALIVE_COMMENT } from './event-stream.ts';

const lines = fc.array(fc.constantFrom('\r\n', '\r', '\n', ' ', ':', 'data: x', '{"a":1}', '한글'));

describe('encodeSseEvent', () => {
  it('encodes a name and a line of data', () => {
    expect(encodeSseEvent('message', '{"a":1}').toString()).toBe(
      'event: message\ndata: {"a":1}\n\n',
    );
  });

  it('encodes one event that decodes to the same data, whatever the data', () => {
    const text = fc.oneof(
      anyText(),
      fc.json(),
      lines.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (data) => {
        const { events, rest } = decodeSse(encodeSseEvent('message', data).toString());
        expect(events).toEqual([{ name: 'message', data: data.replace(/\r\n?/g, '\n') }]);
        expect(rest).toBe('');
      }),
    );
  });

  it('separates events, with keepalives between them', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), (texts) => {
        const stream = texts.map(
          (text) => `${encodeSseEvent('message', text)}${KEEPALIVE_COMMENT}`,
        );
        const { events, comments } = decodeSse(stream.join(''));
        expect(events.map((event) => event.data)).toEqual(texts);
        expect(comments).toEqual(texts.map(() => ' keepalive'));
      }),
    );
  });
});
