import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { type BannerFacts, formatBanner } from './start-banner.ts';

const facts: BannerFacts = {
  version: '1.2.3',
  url: 'http://127.0.0.1:8080',
  servers: 1,
  tools: 2,
  database: 'embedded in ./data',
  cache: 'in memory',
  newApiKey: null,
  newAdministrator: null,
  sandboxUrl: null,
  commandPrefix: '',
  readyInMs: 900,
};

const bannerOf = (changed: Partial<BannerFacts>): string =>
  stripVTControlCharacters(formatBanner({ ...facts, ...changed }));

it('suggests the sandbox unless it runs, and then shows its address', () => {
  expect(bannerOf({})).toContain('npm start -- --sandbox');
  const inSandbox = bannerOf({ sandboxUrl: 'http://127.0.0.1:4000' });
  expect(inSandbox).toContain('http://127.0.0.1:4000 replaces every upstream');
  expect(inSandbox).not.toContain('--sandbox');
});

it('names the data directory of the sandbox where a command needs it', () => {
  expect(bannerOf({})).toContain('another: npm run -s cli -- keys create');
  expect(bannerOf({ commandPrefix: 'DATA_DIR=data-sandbox ' })).toContain(
    'another: DATA_DIR=data-sandbox npm run -s cli -- keys create',
  );
});

it('shows the first administrator on the start that created it', () => {
  expect(bannerOf({})).not.toContain('sign-in');
  const banner = bannerOf({
    newAdministrator: { email: 'admin@localhost', password: 'abc-def' },
  });
  expect(banner).toMatch(
    /sign-in to the dashboard, shown only once:\s+admin@localhost\s+abc-def\n/,
  );
});
