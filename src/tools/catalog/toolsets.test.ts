import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadToolsets } from './toolsets.ts';

const HEAD = 'title: Sky\ndescription: The sky.\n';

describe('toolsets', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'toolsets-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const load = async (text: string, file = 'sky.yaml', lenient = false) => {
    await writeFile(join(dir, file), text);
    const toolNames = [
      'sky_now',
      'sky_later',
      ...Array.from({ length: 41 }, (_, n) => `many_${n}`),
    ];
    return loadToolsets({ dir, toolNames, ownToolNames: ['find_code'], lenient });
  };

  it('name tools, patterns and own tools, with a cap and a style', async () => {
    const text = `${HEAD}tools: [sky_*, find_code]\ncap: 4000\nstyle: text\n`;
    expect((await load(text)).get('sky')).toMatchObject({
      title: 'Sky',
      tools: ['sky_now', 'sky_later'],
      ownTools: ['find_code'],
      maxCharacters: 4000,
      style: 'text',
    });
  });

  it('are none without a directory', async () => {
    const none = { dir: join(dir, 'none'), toolNames: [], ownToolNames: [] };
    expect((await loadToolsets(none)).size).toBe(0);
  });

  it.each([
    ['tools: [sky_nov]', 'sky.yaml:3: no tool is named sky_nov'],
    ['tools: []', 'tools must be a list'],
    ['tools: [many_*]', 'at most 40 tools, and this 41'],
    ['tools: [sky_now]\ncap: 10', 'sky.yaml:4: cap must be a whole number from 500'],
    ['tools: [sky_now]\nstyle: loud', 'style must be text or structured'],
    ['tools: [sky_now]\nlimit: 5', 'limit is unknown'],
    ['tools: [sky_now', 'not valid YAML'],
    [`tools: [sky_now]\n#${'x'.repeat(70_000)}`, 'longer than 65536'],
  ])('are refused with what is wrong: %.40s', async (rest, reason) => {
    await expect(load(HEAD + rest)).rejects.toThrow(reason);
  });

  it('are refused without texts, or in a file with another name', async () => {
    await expect(load('tools: [sky_now]')).rejects.toThrow('title must be a string');
    await expect(load('5')).rejects.toThrow('a toolset is a map');
    await expect(load(`${HEAD}tools: [sky_now]`, 'Sky.yaml')).rejects.toThrow('lower-case');
  });

  it('are left out if they are wrong and the gateway is lenient', async () => {
    expect((await load('tools: 5', 'sky.yaml', true)).size).toBe(0);
  });

  it('are at most 100', async () => {
    for (let n = 0; n < 100; n++) await writeFile(join(dir, `a${n}.yaml`), '');
    await expect(load('')).rejects.toThrow('more than 100 toolsets');
  });
});
