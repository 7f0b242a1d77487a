import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../sandbox/families.ts';
import {
  htmlResponse,
  jsonResponse,
  type SandboxResponse,
  xmlResponse,
} from '../../sandbox/sandbox-response.ts';
import { routesOf } from '../../sandbox/simulate-upstream.ts';
import { keyNamesOf, testCallsOf } from '../calls/provider-keys/key-users.ts';
import { verdictOfStatus } from '../calls/provider-keys/test-provider-key.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import { loadPresets } from '../tools/catalog/load-presets.ts';
import type { KeyVerdict } from '../upstreams/payload/upstream-response.ts';
import { judgeRefusal } from './judge-refusal.ts';
import { normaliseSample } from './preset-samples.ts';
import { PUBLIC_DATA_TOOLS } from './tool-domain.ts';

const { presets } = await loadPresets({
  dir: resolve(import.meta.dirname, '../../presets'),
  domain: PUBLIC_DATA_TOOLS,
  lenient: false,
  logger: { error: () => undefined },
});
const catalog = createCatalog({ presets });
const routes = presets.flatMap(routesOf);
const names = keyNamesOf(catalog);

function verdictOf(name: string, respond: (route: (typeof routes)[number]) => SandboxResponse) {
  const [call] = testCallsOf(catalog, name);
  const route = routes.find(({ tool }) => tool === call?.entry.tool);
  if (!route) throw new Error(`Nothing tests ${name}.`);
  const sent = respond(route);
  const payload = normaliseSample(route.tool, sent);
  if (!payload) throw new Error('The response cannot be read.');
  if (payload.ok && sent.status < 400) return 'works';
  const response = { ...payload, status: sent.status, url: '', fetchedAtMs: 0, fetchedAt: '' };
  return judgeRefusal(name, response) ?? verdictOfStatus(sent.status);
}

const refused = (name: string, refusal: Refusal) =>
  verdictOf(name, ({ family, sample }) => family.refuse(refusal, sample));

describe.each(names)('a test of %s', (name) => {
  test('sees that the key works', () => {
    expect(verdictOf(name, ({ sample }) => sample ?? htmlResponse(''))).toBe('works');
  });

  test('sees that the key is not valid', () => {
    expect(refused(name, 'unregistered_key')).toBe('key_invalid');
  });

  test('sees that the quota is used up, where the provider says so', () => {
    const expected: Readonly<Record<string, KeyVerdict>> = {
      // These slow down too many calls at once.
      ECOS_API_KEY: 'too_fast',
      KOPIS_API_KEY: 'too_fast',
      KOSIS_API_KEY: 'too_fast',
      // This one says it with a sentence only.
      DATA4LIBRARY_API_KEY: 'unclear',
    };
    expect(refused(name, 'quota')).toBe(expected[name] ?? 'quota_used_up');
  });

  test('learns nothing from an upstream that fails', () => {
    expect(verdictOf(name, () => htmlResponse('Status 503', 503))).toBe('upstream_unavailable');
    expect(verdictOf(name, () => htmlResponse('Status 429', 429))).toBe('too_fast');
  });
});

describe('a test of the service key', () => {
  const portal = (code: string) =>
    xmlResponse(
      `<OpenAPI_ServiceResponse><cmmMsgHeader><returnReasonCode>${code}</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>`,
    );

  test.each<[string, KeyVerdict]>([
    ['20', 'not_applied'],
    ['12', 'withdrawn'],
    ['21', 'key_blocked'],
    ['29', 'key_blocked'],
    ['33', 'not_applied'],
    ['22', 'quota_used_up'],
    ['23', 'too_fast'],
    ['30', 'key_invalid'],
    ['030', 'key_invalid'],
    ['31', 'key_expired'],
    ['32', 'address_refused'],
    ['04', 'upstream_unavailable'],
    ['99', 'upstream_unavailable'],
    ['10', 'unclear'],
  ])('understands result code %s: %s', (code, verdict) => {
    expect(verdictOf('PUBLIC_DATA_SERVICE_KEY', () => portal(code))).toBe(verdict);
  });

  test.each([401, 403])('understands a bare status %i: not applied for', (status) => {
    const verdict = verdictOf('PUBLIC_DATA_SERVICE_KEY', () => htmlResponse('Refused', status));
    expect(verdict).toBe('not_applied');
  });
});

test.each<[string, string, KeyVerdict]>([
  ['DART_API_KEY', '010', 'key_invalid'],
  ['DART_API_KEY', '011', 'key_blocked'],
  ['DART_API_KEY', '012', 'address_refused'],
  ['DART_API_KEY', '901', 'key_expired'],
  ['DART_API_KEY', '800', 'upstream_unavailable'],
  ['DART_API_KEY', '100', 'unclear'],
])('a test of %s understands code %s: %s', (name, status, verdict) => {
  expect(verdictOf(name, () => jsonResponse({ status, message: 'x' }))).toBe(verdict);
});
