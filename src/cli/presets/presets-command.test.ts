import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { runWithin as run } from '../testing/run-within.ts';

/** Written to economy/frankfurter.yaml, it is checked against the sample of the shipped tool. */
const RATES = `openapi: 3.1.0
info: { title: Exchange rates, version: "1" }
servers: [{ url: "https://rates.example.com" }]
x-publisher: The Bank
x-licence: unknown
x-as-of: { columns: [date] }
x-items: ''
x-success: { failure: /message }
paths:
  /rates:
    get:
      operationId: frankfurter_rates
      description: >-
        Reference exchange rates of one day. Use it for conversions; these are no trading quotes. A rate is the number
        of units of quote for one unit of base.
      parameters:
        - { name: base, in: query, description: "Currency, ISO 4217.", schema: { type: string } }
      responses:
        "200":
          description: One row per quote.
          content:
            application/json:
              schema:
                type: array
                items:
                  properties: { date: {}, base: {}, quote: {}, rate: {} }
`;

let dir: string;
beforeEach(async () => {
  dir = await makeDataDir();
  vi.stubEnv('PRESETS_DIR', dir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await removeDir(dir);
});

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, name)), { recursive: true });
  await writeFile(join(dir, name), text);
}

const writeRates = (change: (text: string) => string = String): Promise<void> =>
  write('economy/frankfurter.yaml', change(RATES));

describe('presets check', () => {
  test('shows rows and size of every tool of good definition files', async () => {
    await writeRates();
    const { code, stdout, stderr } = await run('presets', 'check', dir);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^economy\/frankfurter +frankfurter_rates +\d+ +3 +- +ok$/m);
    expect(stdout).toMatch(/^1 preset server with 1 tool, \d+ bytes in tools\/list: all good\.$/m);
  });

  test.each([
    ['no rows where x-items points', "x-items: ''", 'x-items: /rates', 'no rows at /rates'],
    ['no number at x-total', "x-items: ''", "x-items: ''\nx-total: /total", 'no number at /total'],
    [
      'no result code at x-success.code',
      'failure: /message',
      "code: /0/code, values: ['1']",
      'no result code at /0/code',
    ],
    ['a refusal by x-success', 'failure: /message', 'present: /rates', 'is a refusal'],
  ])('finds a sample with %s', async (_what, from, to, words) => {
    await writeRates((text) => text.replace(from, to));
    const { code, stdout, stderr } = await run('presets', 'check', dir);
    expect(code).toBe(1);
    expect(stdout).toMatch(/frankfurter_rates .* FAULTY$/m);
    expect(stderr).toMatch(/^\S*economy\/frankfurter\.yaml: frankfurter_rates: /);
    expect(stderr).toContain(words);
  });

  test('warns of what a model could not use well, and still passes', async () => {
    await writeRates((text) =>
      text
        .replace('frankfurter_rates', 'other_rates')
        .replace(/>-\n.*\n.*/, 'Rates.')
        .replace('description: "Currency, ISO 4217.", ', ''),
    );
    const { code, stdout } = await run('presets', 'check', dir);
    expect(code).toBe(0);
    const warnings = stdout.split('\n').filter((line) => line.startsWith('Warning: '));
    expect(warnings).toEqual([
      expect.stringContaining('other_rates: There is no sample'),
      expect.stringContaining('The description has 6 characters'),
      expect.stringContaining('The parameter base has no description'),
    ]);
  });

  test.each(['x-publisher', 'x-licence', 'x-as-of'])('finds a preset without %s', async (name) => {
    await writeRates((text) => text.replace(new RegExp(`^${name}: .*\\n`, 'm'), ''));
    const { code, stderr } = await run('presets', 'check', dir);
    expect(code).toBe(1);
    expect(stderr).toContain(`frankfurter_rates: There is no ${name}`);
  });

  test.each([
    ['of an undescribed row', /^ +schema:[\s\S]*/m, '', 'describes no row at x-items'],
    ['of an undescribed column', ' rate: {}', '', 'lacks columns of the sample: rate.'],
  ])('warns %s', async (_what, from, to, words) => {
    await writeRates((text) => text.replace(from, to));
    const { code, stdout } = await run('presets', 'check', dir);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Warning: .*frankfurter_rates: .*${words}`, 'm'));
  });

  test('warns of a tool with too large an entry in tools/list', async () => {
    await writeRates((text) =>
      text.replace('Reference exchange', `${'Long '.repeat(1000)}exchange`),
    );
    expect((await run('presets', 'check', dir)).stdout).toMatch(/Warning: .* has \d{4} bytes/);
  });

  test('tells which operationId becomes another tool name', async () => {
    await writeRates((text) => text.replace('frankfurter_rates', 'Frankfurter-Rates'));
    const { code, stdout } = await run('presets', 'check', dir);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Warning: \S*economy\/frankfurter\.yaml:12: The operationId "Frankfurter-Rates" becomes the tool name "frankfurter_rates"\.$/m,
    );
  });

  test('lists every fault, however many there are', async () => {
    const wrong = Array.from({ length: 80 }, (_, n) => `x-strange-${n}: 1\n`).join('');
    await writeRates((text) => `${text}${wrong}`);
    const { stderr } = await run('presets', 'check', dir);
    expect(stderr.match(/Unknown extension x-strange-\d+\. Known: x-.*[a-z]\.$/gm)).toHaveLength(
      80,
    );
  });

  test('names file and line of every fault in all files, and checks the good ones', async () => {
    await writeRates();
    await write('a/broken.yaml', 'openapi: 3.1.0\ninfo: [\n');
    await write('a/empty.yaml', 'openapi: 3.1.0\ninfo: { title: a, version: "1" }\n');
    const { code, stdout, stderr } = await run('presets', 'check', dir);
    expect(code).toBe(1);
    expect(stdout).toMatch(/frankfurter_rates .* ok$/m);
    expect(stderr).toMatch(/^\S*a\/broken\.yaml:\d+: /m);
    expect(stderr).toMatch(/^\S*a\/empty\.yaml:\d+: /m);
  });

  test('--json prints the same result as JSON', async () => {
    await writeRates((text) => text.replace("x-items: ''", 'x-items: /rates'));
    await write('a/broken.yaml', 'openapi: 3.1.0\ninfo: [\n');
    const { code, stdout } = await run('presets', 'check', '--json', dir);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      files: 1,
      tools: [{ tool: 'frankfurter_rates', rows: null, faults: [expect.any(String)] }],
      rejected: [expect.stringContaining('a/broken.yaml')],
    });
  });
});

describe('presets new', () => {
  test('writes a file that passes the check, and prints the next steps', async () => {
    const { code, stdout } = await run('presets', 'new', 'economy/fuel-prices');
    expect(code).toBe(0);
    expect(stdout).toContain('samples/economy/fuel_prices_search.json (or .xml)');
    const check = await run('presets', 'check');
    expect(check.stderr).toBe('');
    expect(check.stdout).toMatch(/^economy\/fuel-prices +fuel_prices_search /m);
    expect(check.stdout.match(/^Warning: .*/gm)).toEqual([
      expect.stringContaining('There is no sample'),
      expect.stringContaining('x-publisher is still the text of presets new. Write your own.'),
      expect.stringContaining('The description is still the text of presets new. Write your own.'),
    ]);
  });

  test('writes a file that passes the check with its key uncommented', async () => {
    await run('presets', 'new', 'economy/fuel-prices');
    const file = join(dir, 'economy/fuel-prices.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^# (?=security|components| )/gm, ''));
    const { code, stderr } = await run('presets', 'check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await readFile(file, 'utf8')).toMatch(/^ +x-secret: FUEL_PRICES_API_KEY$/m);
  });

  test('writes the base address', async () => {
    await run('presets', 'new', 'economy/fuel-prices', '--url', 'https://fuel.example.org/v3/');
    const text = await readFile(join(dir, 'economy/fuel-prices.yaml'), 'utf8');
    expect(text).toContain('servers:\n  - url: https://fuel.example.org/v3\n');
  });

  test('writes to the first directory of the operator where PRESETS_DIR is that of the release', async () => {
    vi.stubEnv('PRESETS_DIR', '');
    vi.stubEnv('PRESETS_EXTRA_DIRS', join(dir, 'own'));
    const { code } = await run('presets', 'new', 'economy/fuel-prices');
    vi.unstubAllEnvs();
    expect(code).toBe(0);
    expect(await readFile(join(dir, 'own/economy/fuel-prices.yaml'), 'utf8')).toContain('openapi');
  });

  test('does not change an existing file', async () => {
    await write('economy/fuel-prices.yaml', 'mine');
    const { code, stderr } = await run('presets', 'new', 'economy/fuel-prices');
    expect(code).toBe(1);
    expect(stderr).toContain('already exists');
    expect(await readFile(join(dir, 'economy/fuel-prices.yaml'), 'utf8')).toBe('mine');
  });
});
