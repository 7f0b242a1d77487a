import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../platform/kernel/shipped-files.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { compileText } from './load-presets.ts';
import { type CompiledText, createPresetCache, MAX_LENGTH, MAX_SETS } from './preset-cache.ts';
import { findPresetFiles } from './preset-files.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'preset-cache-'));
});
afterEach(() => rm(dir, { recursive: true }));

const create = () => createPresetCache(PUBLIC_DATA_TOOLS, dir);
const storedFiles = () => readdir(join(dir, 'presets'));

/** The shipped presets, by their paths instead of digests. */
async function compileShipped(): Promise<Map<string, CompiledText>> {
  const { found } = await findPresetFiles(join(PACKAGE_ROOT, 'presets'));
  const compiled = new Map<string, CompiledText>();
  for (const { filePath } of found) {
    const text = await readFile(filePath, 'utf8');
    compiled.set(filePath, await compileText(text, filePath, PUBLIC_DATA_TOOLS));
  }
  return compiled;
}

describe('the cache of compiled presets', () => {
  it('returns all that compiling the shipped presets gives, functions included', async () => {
    const compiled = await compileShipped();
    await create().write(compiled);
    const restored = await create().read([...compiled.keys()]);
    expect(restored).toEqual(compiled);
    const [file = ''] = await storedFiles();
    expect((await stat(join(dir, 'presets', file))).mode & 0o777).toBe(0o600);
  });

  it('has nothing for other files, another domain, or a damaged entry', async () => {
    await create().write(new Map([['one', EMPTY]]));
    expect(await create().read(['one'])).toEqual(new Map([['one', EMPTY]]));
    expect(await create().read(['one', 'two'])).toBeNull();
    const other = { ...PUBLIC_DATA_TOOLS, secretName: 'ANOTHER_SECRET' };
    expect(await createPresetCache(other, dir).read(['one'])).toBeNull();
    const [file = ''] = await storedFiles();
    await writeFile(join(dir, 'presets', file), '[{"digest":');
    expect(await create().read(['one'])).toBeNull();
  });

  it('keeps the sets that were used last', async () => {
    for (let i = 0; i < MAX_SETS; i++) await create().write(new Map([[`${i}`, EMPTY]]));
    for (const file of await storedFiles()) await utimes(join(dir, 'presets', file), 0, 0);
    expect(await create().read(['0'])).not.toBeNull();
    await create().write(new Map([['new', EMPTY]]));
    expect(await storedFiles()).toHaveLength(MAX_SETS);
    expect(await create().read(['0'])).not.toBeNull();
    expect(await create().read(['new'])).not.toBeNull();
  });

  it('stores nothing that is too large, or where nothing can be stored', async () => {
    const huge = { ...EMPTY, warnings: [{ line: 1, message: 'x'.repeat(MAX_LENGTH) }] };
    await create().write(new Map([['huge', huge]]));
    expect(await create().read(['huge'])).toBeNull();
    const nowhere = createPresetCache(PUBLIC_DATA_TOOLS, undefined);
    await nowhere.write(new Map([['one', EMPTY]]));
    expect(await nowhere.read(['one'])).toBeNull();
    await writeFile(join(dir, 'presets'), '');
    await create().write(new Map([['one', EMPTY]]));
    expect(await create().read(['one'])).toBeNull();
  });
});

const EMPTY: CompiledText = {
  api: {
    title: 'Title',
    topic: null,

    baseUrl: '',
    isPublicData: false,
    tools: [],
  },
  warnings: [],
  lines: new Map(),
};
