import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartupError } from '../../platform/kernel/error.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { createPresetLoader, loadPresets, MAX_TEXTS } from './load-presets.ts';
import { fingerprintOf } from './preset-files.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'presets-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function write(path: string, text: string): Promise<string> {
  const file = join(dir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const definition = (operationId: string) => `openapi: 3.1.0
info: { title: Title of ${operationId}, version: 1.0.0 }
servers: [{ url: https://upstream.example/v1 }]
paths:
  /now:
    get:
      operationId: ${operationId}
      description: The current state.
      responses: { '200': { description: The state. } }
`;

async function failure(): Promise<Error> {
  const thrown: unknown = await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof StartupError)) throw new Error('Expected a StartupError.');
  return thrown;
}

describe('loading presets', () => {
  it('compiles the same text once, wherever its files are, and freezes what catalogs share', async () => {
    const files = [
      await write('one/economy/bank.yaml', definition('bank_rates')),
      await write('two/economy/bank.yaml', definition('bank_rates')),
    ];
    const load = (name: string) => loadPresets({ dir: join(dir, name), domain: PUBLIC_DATA_TOOLS });
    const loaded = [await load('one'), await load('two')].flatMap(({ presets }) => presets);
    expect(loaded.map(({ filePath }) => filePath)).toEqual(files);
    const [tool] = loaded[0]?.tools ?? [];
    expect(loaded[1]?.tools[0]).toBe(tool);
    expect(Object.isFrozen(tool?.inputSchema['properties'])).toBe(true);
    const elsewhere = await loadPresets({
      dir: join(dir, 'one'),
      domain: PUBLIC_DATA_TOOLS,
      baseUrlFor: () => 'https://sandbox.example',
    });
    expect(elsewhere.presets[0]?.tools[0]?.baseUrl).toBe('https://sandbox.example');
    expect(tool?.baseUrl).toBe('https://upstream.example/v1');
  });

  it('remembers a bounded number of texts, and compiles the least recently used again', async () => {
    await write('first/economy/bank.yaml', definition('bank_rates'));
    const load = async (name: string) =>
      (await loadPresets({ dir: join(dir, name), domain: PUBLIC_DATA_TOOLS })).presets[0]?.tools[0];
    const first = await load('first');
    for (let i = 0; i < MAX_TEXTS; i++) {
      await write(`others/economy/other-${i}.yaml`, definition(`other_${i}`));
    }
    await load('others');
    const again = await load('first');
    expect(again).not.toBe(first);
    expect(await load('first')).toBe(again);
  });

  it('turns every definition file into a preset server, sorted by id', async () => {
    const weather = await write('weather/sky.yaml', definition('sky_now'));
    await write('economy/bank.yaml', definition('bank_rates'));
    await write('README.md', 'Other files are ignored.');
    const { presets } = await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS });
    expect(presets.map(({ id }) => id)).toEqual(['economy/bank', 'weather/sky']);
    expect(presets[1]).toMatchObject({
      category: 'weather',
      filePath: weather,
      title: 'Title of sky_now',
      baseUrl: 'https://upstream.example/v1',
    });
    expect(presets[1]?.tools.map(({ name }) => name)).toEqual(['sky_now']);
  });

  it('finds nothing in a directory without definitions', async () => {
    expect(await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS })).toEqual({
      presets: [],
      warnings: [],
    });
  });

  it('replaces base URLs and versions on request', async () => {
    await write('weather/sky.yaml', definition('sky_now'));
    const { presets } = await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS });
    const elsewhere = await loadPresets({
      domain: PUBLIC_DATA_TOOLS,
      dir,
      baseUrlFor: (id, baseUrl) => `http://127.0.0.1:1/${id}?was=${baseUrl}`,
    });
    const baseUrl = 'http://127.0.0.1:1/weather/sky?was=https://upstream.example/v1';
    expect(elsewhere.presets[0]?.baseUrl).toBe(baseUrl);
    expect(elsewhere.presets[0]?.tools[0]?.baseUrl).toBe(baseUrl);
    expect(elsewhere.presets[0]?.tools[0]?.version).not.toBe(presets[0]?.tools[0]?.version);
  });

  it('says what to do if the directory is missing', async () => {
    await rm(dir, { recursive: true });
    expect((await failure()).message).toContain(`${dir} cannot be read. Set PRESETS_DIR`);
    await mkdir(dir);
  });

  it('names both files if two use the same tool name', async () => {
    const first = await write('economy/bank.yaml', definition('sky_now'));
    const second = await write('weather/sky.yaml', definition('Sky-Now'));
    const { message } = await failure();
    expect(message).toContain(
      `${second}:6: The tool name "sky_now" is already used at ${first}:6.`,
    );
  });

  it('reports the issues of all files together, each with file and line', async () => {
    const first = await write('economy/bank.yaml', 'openapi: 3.1.0\npaths: [\n');
    const text = definition('sky_now').replace('      description', '      x-grids: true\n$&');
    const second = await write('weather/sky.yaml', text);
    const deep = await write('weather/korea/sky.yaml', definition('korea_sky'));
    const shallow = await write('sky.yml', definition('sky'));
    const { message } = await failure();
    expect(message).toMatch(new RegExp(`^${first}:\\d+: `, 'm'));
    expect(message).toContain(`${second}:8: `);
    expect(message).toContain(`${deep}:1: a preset must be a file <category>/<name>.yaml`);
    expect(message).toContain(`${shallow}:1: `);
    expect(message).toContain('PRESETS_LENIENT=true');
  });

  it('skips invalid files when lenient, and logs each', async () => {
    await write('economy/bank.yaml', definition('sky_now'));
    const duplicate = await write('weather/sky.yaml', definition('sky_now'));
    const broken = await write('culture/tour.yaml', 'openapi: 3.1.0\n');
    const logged: object[] = [];
    const { presets } = await loadPresets({
      domain: PUBLIC_DATA_TOOLS,
      dir,
      lenient: true,
      logger: { error: (fields) => logged.push(fields) },
    });
    expect(presets.map(({ id }) => id)).toEqual(['economy/bank']);
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).toContain(broken);
    expect(JSON.stringify(logged)).toContain(duplicate);
  });
});

describe('further directories of presets', () => {
  let extra: string;
  beforeEach(() => {
    extra = `${dir}-extra`;
  });
  afterEach(() => rm(extra, { recursive: true, force: true }));

  const load = () => loadPresets({ dir, extraDirs: [extra], domain: PUBLIC_DATA_TOOLS });
  const writeExtra = (path: string, text: string) => write(join('..', basename(extra), path), text);

  it('are loaded beside the first, sorted by id', async () => {
    await write('weather/sky.yaml', definition('sky_now'));
    await writeExtra('economy/bank.yaml', definition('bank_rates'));
    const { presets } = await load();
    expect(presets.map(({ id }) => id)).toEqual(['economy/bank', 'weather/sky']);
  });

  it('may use no id and no tool name twice: both files are named', async () => {
    const [first, second] = [
      await write('weather/sky.yaml', definition('sky_now')),
      await writeExtra('weather/sky.yaml', definition('other')),
    ];
    await expect(load()).rejects.toThrow(
      `${second}:1: The preset weather/sky is already defined in ${first}.`,
    );
    await rm(second);
    const third = await writeExtra('weather/rain.yaml', definition('sky_now'));
    await expect(load()).rejects.toThrow(
      `${third}:6: The tool name "sky_now" is already used at ${first}:6.`,
    );
  });

  it('may have samples, which are no definitions', async () => {
    await writeExtra('weather/sky.yaml', definition('sky_now'));
    await writeExtra('samples/weather/sky_now.json', '{}');
    expect((await load()).presets).toHaveLength(1);
    const misplaced = await writeExtra('samples/weather.json', '{}');
    await expect(load()).rejects.toThrow(`${misplaced}:1: a preset must be a file`);
  });

  it('may be mounted by Kubernetes, as links to a hidden directory', async () => {
    await writeExtra('..2026_01/weather/sky.yaml', definition('sky_now'));
    await symlink('..2026_01', join(extra, '..data'));
    await symlink('..data/weather', join(extra, 'weather'));
    await symlink('.', join(extra, 'circle'));
    await expect(load()).rejects.toThrow('circle/weather');
    await rm(join(extra, 'circle'));
    const { presets } = await load();
    expect(presets.map(({ filePath }) => filePath)).toEqual([join(extra, 'weather/sky.yaml')]);
    const before = await fingerprintOf([extra]);
    await writeExtra('..2026_02/weather/sky.yaml', definition('sky_now'));
    await rm(join(extra, '..data'));
    await symlink('..2026_02', join(extra, '..data'));
    expect(await fingerprintOf([extra])).not.toBe(before);
  });

  it('must exist, and have no more than 2,000 entries', async () => {
    await expect(load()).rejects.toThrow(
      `${extra} cannot be read. Set PRESETS_DIR and PRESETS_EXTRA_DIRS`,
    );
    await mkdir(extra);
    for (let n = 0; n <= 2000; n++) writeFileSync(join(extra, String(n)), '');
    await expect(load()).rejects.toThrow(`${extra} has more than 2000 entries`);
  });
});

it('compiles a file again only after it has changed', async () => {
  await write('weather/sky.yaml', definition('sky_now'));
  await write('economy/bank.yaml', definition('bank_rates'));
  const reload = createPresetLoader({ dir, domain: PUBLIC_DATA_TOOLS });
  const [bank, sky] = (await reload()).presets;
  await write('weather/sky.yaml', definition('sky_soon'));
  const again = (await reload()).presets;
  expect(again[0]).toBe(bank);
  expect([sky?.tools[0]?.name, again[1]?.tools[0]?.name]).toEqual(['sky_now', 'sky_soon']);
});

it('has another fingerprint after any change, and none for a missing directory', async () => {
  const file = await write('weather/sky.yaml', definition('sky_now'));
  const seen = new Set([await fingerprintOf([dir])]);
  await write('samples/weather/sky_now.json', '{}');
  seen.add(await fingerprintOf([dir]));
  await write('weather/sky.yaml', definition('sky_soon'));
  seen.add(await fingerprintOf([dir]));
  await rm(file);
  seen.add(await fingerprintOf([dir]));
  expect(seen.size).toBe(4);
  expect(await fingerprintOf([join(dir, 'missing')])).toBe('');
});
