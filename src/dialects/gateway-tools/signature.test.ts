import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';
import { type CatalogEntry, presetEntries } from '../../tools/catalog-entry.ts';
import { briefOf, signatureOf } from './signature.ts';

function entryOf(description: string, properties: object = {}, required: string[] = []) {
  const tool = {
    ...makeTool('sky_now', description),
    inputSchema: { type: 'object', properties, required },
  };
  return presetEntries(makePreset('weather/sky', tool), '')[0] as CatalogEntry;
}

describe('a signature', () => {
  it('has a line for the tool and one for each argument', () => {
    const properties = {
      day: { type: 'string', pattern: '^\\d{8}$', description: 'The day.\nIn KST.' },
      from: {
        type: 'string',
        pattern: '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])$',
      },
      code: { type: 'string', pattern: '^K' },
      hour: { type: 'integer', minimum: 0, maximum: 23, default: 6 },
      kinds: { type: 'array', items: { enum: ['rain', 'snow'] } },
      _limit: { type: 'integer' },
      _fields: { type: 'array' },
    };
    expect(signatureOf(entryOf('The sky. Now.', properties, ['day'])).split('\n')).toEqual([
      'sky_now — The sky. Now.',
      '  day: string of 8 digits — The day. In KST.',
      '  from?: string YYYYMMDD',
      '  code?: string /^K/',
      '  hour?: integer 0..23 = 6',
      '  kinds?: "rain"|"snow"[]',
      expect.stringMatching(/^ {2}_limit\?: integer, _fields\?/),
    ]);
  });

  it('has a bounded number of arguments, each of bounded length', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 70 }, (_, n) => [
        `a${n}`,
        { type: 'string', description: 'x'.repeat(900) },
      ]),
    );
    const lines = signatureOf(entryOf('y'.repeat(5000), properties)).split('\n');
    expect(lines).toHaveLength(62);
    expect(lines.at(-1)).toBe('  … and 10 more');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(720);
  });

  it('never has more lines than arguments, whatever the schema and the texts', () => {
    const properties = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.object());
    fc.assert(
      fc.property(fc.string(), properties, (description, given) => {
        const entry = entryOf(description, given);
        expect(signatureOf(entry).split('\n')).toHaveLength(1 + Object.keys(given).length);
        expect(briefOf(entry).startsWith('sky_now — ')).toBe(true);
        expect(briefOf(entry)).not.toContain('\n');
      }),
    );
  });

  it('takes much less room than the definitions of the shipped tools', async () => {
    const dir = join(import.meta.dirname, '../../../presets');
    const { presets } = await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS });
    const entries = presets.flatMap((preset) => presetEntries(preset, ''));
    const listed = entries.map(({ tool, description }) => [description, tool.inputSchema]);
    const size = entries.map(signatureOf).join('').length;
    expect(size).toBeLessThan(0.7 * JSON.stringify(listed).length);
  });
});
