import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type BannerFacts, formatStart } from './start-banner.ts';

const facts: BannerFacts = {
  version: '1.2.3',
  url: 'http://127.0.0.1:8080',
  servers: 1,
  readiness: { tools: 2, ready: 2, missing: [] },
  database: 'embedded in ./data',
  cache: 'in memory',
  first: { apiKey: null, administrator: null },
  firstCall: { tool: 'rates', arguments: { base: "it's" } },
  workers: null,
  sandboxUrl: null,
  commandPrefix: '',
  readyInMs: 900,
};

const bannerOf = (changed: Partial<BannerFacts>): string =>
  stripVTControlCharacters(formatStart({ ...facts, ...changed }, true));

it('suggests the sandbox unless it runs, and then shows its address', () => {
  expect(bannerOf({})).toMatch(/A first call.* needs the Internet.*npm start -- --sandbox/s);
  const inSandbox = bannerOf({ sandboxUrl: 'http://127.0.0.1:4000' });
  expect(inSandbox).toContain('http://127.0.0.1:4000 answers for every preset');
  expect(inSandbox).not.toMatch(/--sandbox|Internet/);
});

it('names the data directory of the sandbox where a command needs it', () => {
  expect(bannerOf({})).toContain('another: npm run -s cli -- keys create');
  expect(bannerOf({ commandPrefix: 'DATA_DIR=data-sandbox ' })).toContain(
    'another: DATA_DIR=data-sandbox npm run -s cli -- keys create',
  );
});

it('shows credentials on a terminal, on the start that created them', () => {
  expect(bannerOf({})).not.toContain('sign-in');
  const banner = bannerOf({
    first: {
      apiKey: { lines: ['tg_live_x'] },
      administrator: { lines: ['admin@localhost', 'abc-def'] },
    },
  });
  expect(banner).toMatch(/Your API key, shown only once:\s+tg_live_x\n/);
  expect(banner).toMatch(
    /Your sign-in to the dashboard, shown only once:\s+admin@localhost\s+abc-def\n/,
  );
  expect(banner).toContain('-H "x-api-key: tg_live_x"');
});

it('elsewhere says everything in one line, with the files of the credentials', () => {
  const line = (changed: Partial<BannerFacts>): string =>
    formatStart({ ...facts, ...changed }, false);
  expect(line({})).toBe(
    'Tool Gateway 1.2.3 is ready at http://127.0.0.1:8080 in 900 ms; dashboard http://127.0.0.1:8080/admin; 2 of 2 tools ready\n',
  );
  const first = {
    apiKey: { path: '/data/first-api-key' },
    administrator: { path: '/data/admin-password' },
  };
  expect(line({ first, workers: 2, sandboxUrl: 'http://127.0.0.1:4000' })).toMatch(
    /; 2 workers; made-up data of the sandbox http:\/\/127\.0\.0\.1:4000; API key in \/data\/first-api-key; sign-in in \/data\/admin-password\n$/,
  );
});

it('quotes the arguments of the first call, and lists the tools if none can be called', () => {
  expect(bannerOf({})).toContain(`"arguments":{"base":"it'\\''s"}}}'`);
  expect(bannerOf({ firstCall: null })).toContain(
    `'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
  );
});

describe('the keys that tools wait for', () => {
  const key = (name: string, tools: number, url: string | null = null) => ({ name, tools, url });
  const readinessOf = (readiness: BannerFacts['readiness']): string => {
    const banner = bannerOf({ readiness });
    return banner.slice(banner.indexOf('  Tools'), banner.indexOf('  Storage'));
  };

  it('are not mentioned if every tool is ready', () => {
    expect(readinessOf(facts.readiness)).toBe('  Tools        2 tools of 1 preset server\n');
  });

  it('are counted and named, and where to get the most useful', () => {
    const missing = [key('A_KEY', 50, 'https://a.example'), key('B_KEY', 13, 'https://b.example')];
    expect(readinessOf({ tools: 72, ready: 9, missing })).toBe(
      '  Tools        72 tools of 1 preset server\n' +
        '  Keys         9 of 72 tools are ready; 63 wait for these 2 keys:\n' +
        '               A_KEY (50), B_KEY (13)\n' +
        '               Get A_KEY at https://a.example\n' +
        '               Set keys in the environment, with --env-file, or in the dashboard, which links the page of each.\n',
    );
    expect(readinessOf({ tools: 2, ready: 1, missing: [key('A_KEY', 1)] })).toContain(
      '1 of 2 tools is ready; 1 waits for this key:\n               A_KEY (1)\n               Set keys',
    );
  });

  it('are not all named if they are many, on lines of bounded width', () => {
    const missing = Array.from({ length: 40 }, (_, n) => key(`A_RATHER_LONG_NAME_${n}`, 1));
    const text = readinessOf({ tools: 40, ready: 0, missing });
    expect(text).toMatch(/A_RATHER_LONG_NAME_11 \(1\), and 28 more\n/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(115);
  });
});
