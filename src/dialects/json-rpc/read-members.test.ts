import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouteRequest } from '../route.ts';
import { MAX_JSON_BYTES, readMembers } from './read-members.ts';

const read = (body: string | Buffer, contentType?: string): unknown =>
  readMembers({
    headers: { 'content-type': contentType },
    body: Buffer.from(body),
    memory: () => ({ take: () => true }),
  } as unknown as RouteRequest);

/** A form as Node.js sends it. */
async function readSent(parts: Readonly<Record<string, string | Blob>>): Promise<unknown> {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) form.set(name, part);
  const sent = new Response(form);
  const type = sent.headers.get('content-type') ?? '';
  return read(Buffer.from(await sent.arrayBuffer()), type);
}

const part = (name: string, content: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${content}`;
const form = (...parts: readonly string[]): string =>
  parts.map((each) => `--b\r\n${each}\r\n`).join('');

describe('a body with a description', () => {
  it('is JSON', () => {
    expect(read('{"spec_raw":"x"}', 'application/json')).toEqual({ spec_raw: 'x' });
    expect(() => read('')).toThrow('The request has no body');
  });

  it('is a form with any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), async (bytes, name) => {
        const document = new Blob([bytes]);
        expect(await readSent({ document, request: JSON.stringify({ name }) })).toEqual({
          name,
          spec_raw: Buffer.from(bytes),
        });
      }),
    );
  });

  it('may lack either part', async () => {
    expect(await readSent({ document: 'x' })).toEqual({ spec_raw: Buffer.from('x') });
    expect(await readSent({ request: '{"a":1}' })).toEqual({ a: 1 });
    expect(await readSent({ request: '[]', document: 'x' })).toEqual([]);
  });

  it('is read as curl sends it', () => {
    const file = `content-disposition: form-data; name=document; filename="request"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const type = 'Multipart/Form-Data; charset=utf-8; boundary="b"';
    expect(read(`${form(part('request', '{}'), `${file}a\r\n--c`)}--b--\r\n`, type)).toEqual({
      spec_raw: Buffer.from('a\r\n--c'),
    });
  });

  it.each([
    ['another part', `${form(part('other', ''))}--b--`],
    ['a part without a name', `${form('\r\n\r\nx')}--b--`],
    ['a part twice', `${form(part('document', 'x'), part('document', 'y'))}--b--`],
    ['two descriptions', `${form(part('document', 'x'), part('request', '{"spec_raw":""}'))}--b--`],
    ['no end', form(part('document', 'x'))],
    ['no part', '--c--'],
    ['half a part', '--b\r\nContent-Disposition: form-data; name="document"'],
    ['long headers', `${form(`x: ${'x'.repeat(5000)}\r\n${part('document', 'x')}`)}--b--`],
  ])('is refused with %s', (_, body) => {
    expect(() => read(body, 'multipart/form-data; boundary=b')).toThrow(
      expect.objectContaining({ code: 'unreadable_request' }),
    );
  });

  it('has JSON of at most 1 MiB in a form, too', async () => {
    const json = (bytes: number) => '{}'.padEnd(bytes);
    expect(await readSent({ request: json(MAX_JSON_BYTES) })).toEqual({});
    await expect(readSent({ request: json(MAX_JSON_BYTES + 1) })).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});
