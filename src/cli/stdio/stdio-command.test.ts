import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines } from './stdio-command.ts';

async function read(maxBytes: number, ...chunks: readonly string[]): Promise<(string | null)[]> {
  async function* input() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines = await Array.fromAsync(readLines(input(), maxBytes));
  return lines.map((line) => line?.toString() ?? null);
}

describe('readLines', () => {
  test('reads the same lines however the stream is split', async () => {
    const chunks = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }));
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(6), async (pieces, maxBytes) => {
        const lines = pieces.join('').split('\n');
        if (lines.at(-1) === '') lines.pop();
        const expected = lines.map((line) => (line.length > maxBytes ? null : line));
        expect(await read(maxBytes, ...pieces)).toEqual(expected);
      }),
    );
  });

  test('reports a line that is too long before its end arrives', async () => {
    const lines = readLines(
      (async function* () {
        yield Buffer.from('12345');
        await new Promise(() => {});
      })(),
      4,
    );
    expect(await lines.next()).toEqual({ done: false, value: null });
  });
});
