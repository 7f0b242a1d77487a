import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyZip } from '../../test/support/company-zip.ts';
import { type FixtureUpstream, startFixtureUpstream } from '../../test/support/fixture-upstream.ts';
import { SHIPPED_PRESETS } from '../../test/support/sandboxed-presets.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { loadPresets } from '../tools/catalog/load-presets.ts';
import { createUpstreamClient } from '../upstreams/client/create-upstream-client.ts';
import { companyListOf } from './company-list.ts';
import { PUBLIC_DATA_TOOLS } from './tool-domain.ts';

const KEY = 'dart key/+=';
const LIMITS = { fetchMs: 2000, zipBytes: 100_000 };

const budget = createByteBudget(10_000_000);
let upstream: FixtureUpstream;
let client: ReturnType<typeof createUpstreamClient>;
let list: NonNullable<ReturnType<typeof companyListOf>>;
let secret: Secret | undefined;

beforeAll(async () => {
  upstream = await startFixtureUpstream();
  client = createUpstreamClient({
    maxBytes: 1000,
    concurrencyPerOrigin: 4,
    retry: { maxRetries: 0 },
    circuit: { failures: 100 },
  });
  const { presets } = await loadPresets({
    dir: SHIPPED_PRESETS,
    domain: PUBLIC_DATA_TOOLS,
    baseUrlFor: () => `${upstream.url}/api`,
  });
  const tools = presets.flatMap((preset) => preset.tools);
  const deps = {
    limits: LIMITS,
    tools,
    secretOf: () => secret,
    sender: client,
    quotaOf: () => undefined,
    budget,
  };
  const found = companyListOf({ ...deps, kind: 'company' });
  if (!found) throw new Error('No tool takes codes of companies.');
  list = found;
  expect(companyListOf({ ...deps, kind: 'nothing' })).toBeUndefined();
});
beforeEach(() => {
  secret = new Secret(KEY);
});
afterAll(async () => {
  await client.close();
  await upstream.close();
});

const respond = (write: (response: ServerResponse) => void): void =>
  upstream.answer((_request, response) => write(response));

async function failure() {
  const error = await list.fetchZip().then(
    () => expect.fail('The list was fetched.'),
    (reason) => reason,
  );
  expect(`${error.message} ${error.cause}`).not.toMatch(/dart key|dart%20key/);
  return { code: error.code, message: error.message };
}

const refusal = (status: string) => (response: ServerResponse) =>
  response.end(
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><result><status>${status}</status><message>dart key/+=</message></result>`,
  );

describe('the list of companies at the disclosure system', () => {
  it('is fetched with the key of its tools', async () => {
    respond((response) => response.end(companyZip()));
    expect(list).toMatchObject({
      source: `${upstream.url}/api/corpCode.xml`,
      keyName: 'DART_API_KEY',
    });
    expect(await list.fetchZip()).toEqual(companyZip());
    const { method, url } = upstream.seen.at(-1) ?? {};
    expect([method, url]).toEqual([
      'GET',
      `/api/corpCode.xml?crtfc_key=${encodeURIComponent(KEY)}`,
    ]);
    expect(budget.stats().usedBytes).toBe(0);
  });

  it.each<[string, string, string]>([
    ['010', 'missing_secret', 'the provider refuses DART_API_KEY (status 010)'],
    ['901', 'missing_secret', 'the provider refuses DART_API_KEY (status 901)'],
    ['020', 'upstream_bad_payload', 'status 020, the quota of the key is used up'],
    ['800', 'upstream_bad_payload', 'status 800'],
  ])('is refused with status %s as %s', async (status, code, message) => {
    respond(refusal(status));
    expect(await failure()).toEqual({ code, message: expect.stringContaining(message) });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['a page', (response) => response.end('<html>dart key/+=</html>'), 'HTTP status 200'],
    ['no content', (response) => response.end(), 'HTTP status 200'],
    ['an error', (response) => response.writeHead(503).end(companyZip()), 'HTTP status 503'],
  ])('is not taken from %s', async (_, write, message) => {
    respond(write);
    expect(await failure()).toEqual({
      code: 'upstream_bad_payload',
      message: expect.stringContaining(message),
    });
  });

  it('is not looked for elsewhere', async () => {
    respond((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    expect(await failure()).toMatchObject({ code: 'upstream_blocked' });
  });

  it('is not read beyond its bound', async () => {
    respond((response) => response.end(Buffer.alloc(LIMITS.zipBytes + 1, 'PK')));
    expect(await failure()).toMatchObject({ code: 'upstream_too_large' });
  });

  it('is not requested without a key', async () => {
    secret = undefined;
    const before = upstream.seen.length;
    expect(await failure()).toMatchObject({ code: 'missing_secret' });
    expect(upstream.seen).toHaveLength(before);
  });
});
