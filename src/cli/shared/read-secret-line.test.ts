import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readFirstLine } from './read-secret-line.ts';

const MAX_CREDENTIAL_BYTES = 65_540;

const read = (...chunks: string[]): Promise<string | undefined> =>
  readFirstLine(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), MAX_CREDENTIAL_BYTES);

describe('a credential on standard input', () => {
  test.each([
    ['a line', ['s3cret\n'], 's3cret'],
    ['a line without its end', ['s3cret'], 's3cret'],
    ['a line of Windows', ['s3cret\r\n'], 's3cret'],
    ['a line in pieces', ['s3', 'cr', 'et\nmore'], 's3cret'],
    ['spaces', [' s3 cret \n'], ' s3 cret '],
    ['an empty line', ['\n'], ''],
  ])('is the first line: %s', async (_, chunks, text) => {
    expect(await read(...chunks)).toBe(text);
  });

  test('is missing if the input is empty', async () => {
    expect(await read()).toBeUndefined();
  });

  test('has a bound, also if the input never ends', async () => {
    function* endless() {
      for (;;) yield Buffer.alloc(1024, 'x');
    }
    await expect(readFirstLine(Readable.from(endless()), MAX_CREDENTIAL_BYTES)).rejects.toThrow(
      'has more than',
    );
    const most = 'x'.repeat(MAX_CREDENTIAL_BYTES - 1);
    expect(await read(`${most}\n`)).toBe(most);
    await expect(read(`${most}xx\n`)).rejects.toThrow('Write only the credential');
  });
});
