import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import type { TestPlace } from '../support/databases.ts';
import { type FixtureUpstream, startFixtureUpstream } from '../support/fixture-upstream.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const operation = (name: string, more = '') => `
  /${name}:
    get:
      operationId: good_${name}${more}
      parameters:
        - { name: n, in: query, description: A number., schema: { type: integer } }
        - { name: serviceKey, in: query, x-secret: PUBLIC_DATA_SERVICE_KEY, schema: { type: string } }
      responses: { "200": { description: Anything. } }`;

/** A provider whose responses are fresh for a second, and one operation of which is asked for the hour. */
const PORTAL = `openapi: 3.1.0
info: { title: Portal, version: "1" }
servers: [{ url: "http://portal.invalid" }]
x-public-data: true
x-cache-ttl: 1
paths:${operation('known')}${operation('other')}${operation('personal', '\n      x-last-good: 0')}${operation('low', '\n      x-quota: { calls: 20 }')}
  /latest:
    get:
      operationId: good_latest
      parameters:
        - { name: date, in: query, x-default: today-kst, description: A day., schema: { type: string } }
        - { name: serviceKey, in: query, x-secret: PUBLIC_DATA_SERVICE_KEY, schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

const HOUR_MS = 3_600_000;
const json = (response: ServerResponse, value: unknown): void =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
const refusal = (code: string) => ({
  OpenAPI_ServiceResponse: { cmmMsgHeader: { errMsg: 'SERVICE ERROR', returnReasonCode: code } },
});

describe.each(GATEWAY_BACKENDS)('last good responses ($name)', (backend) => {
  let place: TestPlace;
  let gateway: TestGateway;
  let upstream: FixtureUpstream;
  let laterMs: number;

  const start = async (env: Record<string, string> = {}): Promise<void> => {
    gateway = await startTestGateway({
      backend: { ...backend, makePlace: async () => ({ ...place, remove: async () => undefined }) },
      presets: { portal: PORTAL },
      upstream,
      secrets: () => new Secret('key-of-the-operator'),
      env: {
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        CACHE_STALE_SECONDS: '0',
        RATE_LIMIT_PER_MINUTE: '1000',
        ...env,
      },
      clock: { now: () => systemClock.now() + laterMs },
    });
    gateway.upstream.answer(({ url }, response) => json(response, { url: url.split('&')[0] }));
  };
  beforeEach(async () => {
    laterMs = 0;
    place = await backend.makePlace();
    upstream = await startFixtureUpstream();
    await start();
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
    await place.remove();
  });
  /** Lets what was fetched expire, in Redis too, whose clock is its own. */
  const later = async (ms: number): Promise<void> => {
    laterMs = ms;
    await sleep(1100);
  };
  const fail = (): void =>
    gateway.upstream.answer((_request, response) => void response.writeHead(503).end());
  const refuse = (code: string): void =>
    gateway.upstream.answer((_request, response) => json(response, refusal(code)));

  test(verifies('last-good.shares'), async () => {
    const bounds = { LAST_GOOD_MAX_BYTES: '40000' };
    await gateway.close();
    await start(bounds);
    gateway.upstream.answer((_request, response) =>
      json(response, { noise: randomBytes(700).toString('base64') }),
    );
    const other = await gateway.createKey('other');
    await gateway.call('good_known', { n: 0 }, other.key);
    for (let n = 1; n <= 150; n++) await gateway.call('good_known', { n });
    await gateway.close();
    await later(HOUR_MS);
    await start(bounds);
    fail();
    const statusOf = async (n: number, key?: string) =>
      (await gateway.call('good_known', { n }, key)).body.result.cacheStatus;
    expect(await statusOf(0, other.key)).toBe('STALE');
    expect(await statusOf(150)).toBe('STALE');
    expect(await statusOf(1)).toBe('MISS');
  });

  test(verifies('last-good.restart', 'last-good.marked'), async () => {
    const known = (await gateway.call('good_known', { n: 1 })).body.result;
    const latest = (await gateway.call('good_latest')).body.result;
    await gateway.call('good_personal', { n: 1 });
    await gateway.close();
    await later(48 * HOUR_MS);
    await start();
    fail();
    const { result } = (await gateway.call('good_known', { n: 1 })).body;
    expect(result).toMatchObject({
      outcome: 'ok',
      cacheStatus: 'STALE',
      data: known.data,
      provenance: { fetchedAt: known.provenance.fetchedAt, stale: { cause: 'upstream' } },
    });
    expect(result.provenance.ageSeconds).toBeGreaterThanOrEqual(48 * 3600);
    // Today is another day, but the question is the same.
    expect((await gateway.call('good_latest')).body.result).toMatchObject({
      cacheStatus: 'STALE',
      data: latest.data,
      provenance: { asked: latest.provenance.asked },
    });
    for (const unknown of [
      await gateway.call('good_known', { n: 2 }),
      await gateway.call('good_personal', { n: 1 }),
    ]) {
      expect(unknown.body.result).toMatchObject({ outcome: 'failed', cacheStatus: 'MISS' });
    }
    await later(8 * 24 * HOUR_MS);
    expect((await gateway.call('good_known', { n: 1 })).body.result.outcome).toBe('failed');
  });

  test(verifies('last-good.causes'), async () => {
    await gateway.call('good_known', { n: 1 });
    await gateway.call('good_other', { n: 1 });
    await later(HOUR_MS);
    for (const [code, cause] of [
      ['01', 'upstream'],
      ['20', 'not_approved'],
      ['31', 'operator_key'],
    ] as const) {
      refuse(code);
      expect((await gateway.call('good_known', { n: 1 })).body.result).toMatchObject({
        cacheStatus: 'STALE',
        provenance: { stale: { cause } },
      });
    }
    gateway.upstream.answer((_request, response) => void response.destroy());
    expect((await gateway.call('good_known', { n: 1 })).body.result.provenance.stale).toEqual({
      cause: 'network',
    });
    // The quota comes last: it closes the operation.
    refuse('22');
    expect((await gateway.call('good_known', { n: 1 })).body.result.provenance.stale).toEqual({
      cause: 'quota',
    });
    const sent = gateway.upstream.seen.length;
    const told = (await gateway.call('good_known', { n: 1 })).body.result;
    expect(told).toMatchObject({ cacheStatus: 'STALE', provenance: { stale: { cause: 'quota' } } });
    expect(gateway.upstream.seen.length).toBe(sent);
  });

  test(verifies('last-good.wrong-key'), async () => {
    await gateway.call('good_known', { n: 1 });
    await later(HOUR_MS);
    refuse('30');
    const outcomes: string[] = [];
    for (let n = 0; n < 4; n++) {
      outcomes.push((await gateway.call('good_known', { n: 1 })).body.result.outcome);
    }
    // A key that worked is wrong after two refusals.
    expect(outcomes).toEqual(['ok', 'failed', 'failed', 'failed']);
  });

  test(verifies('last-good.own-key'), async () => {
    const tenant = await gateway.createKey('weather');
    const own = (method: string) =>
      gateway.json('/api/v1/provider-keys/PUBLIC_DATA_SERVICE_KEY', {
        method,
        key: tenant.key,
        ...(method === 'PUT' && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ value: 'key-of-the-tenant' }),
        }),
      });
    expect((await own('PUT')).status).toBe(201);
    await gateway.call('good_known', { n: 1 }, tenant.key);
    await gateway.close();
    await later(HOUR_MS);
    await start();
    const again = await gateway.createKey('weather');
    tenant.key = again.key;
    fail();
    const outcomeOf = async (key?: string): Promise<string> =>
      (await gateway.call('good_known', { n: 1 }, key)).body.result.outcome;
    expect([await outcomeOf(), await outcomeOf(tenant.key)]).toEqual(['failed', 'ok']);
    // The same value again: what was received with it before is deleted all the same.
    expect((await own('DELETE')).status).toBe(204);
    expect((await own('PUT')).status).toBe(201);
    expect(await outcomeOf(tenant.key)).toBe('failed');
  });

  test(verifies('last-good.spares'), async () => {
    await gateway.call('good_low', { n: 0 });
    for (let n = 1; n < 19; n++) await gateway.call('good_low', { n });
    await later(0);
    const sent = gateway.upstream.seen.length;
    expect((await gateway.call('good_low', { n: 0 })).body.result).toMatchObject({
      cacheStatus: 'STALE',
      provenance: { stale: { cause: 'quota' } },
    });
    expect(gateway.upstream.seen).toHaveLength(sent);
    expect((await gateway.call('good_low', { n: 99 })).body.result.cacheStatus).toBe('MISS');
  });
});
