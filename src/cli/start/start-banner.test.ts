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
  sandboxUrl: null,
  readyInMs: 900,
};

const bannerOf = (changed: Partial<BannerFacts>): string =>
  stripVTControlCharacters(formatBanner({ ...facts, ...changed }));

it('tells of the sandbox whoever has not started it, and its address whoever has', () => {
  expect(bannerOf({})).toContain('npm start -- --sandbox');
  const inSandbox = bannerOf({ sandboxUrl: 'http://127.0.0.1:4000' });
  expect(inSandbox).toContain('http://127.0.0.1:4000 answers for every upstream');
  expect(inSandbox).not.toContain('--sandbox');
});
