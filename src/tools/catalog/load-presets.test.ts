import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { loadPresets } from './load-presets.ts';

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
