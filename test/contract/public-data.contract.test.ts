import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const SERVICE_KEY = 'abc+/def==';

describe('the public-data middleware', () => {
  let gateway: TestGateway;
  let serviceKey = SERVICE_KEY;
  beforeAll(async () => {
    gateway = await startTestGateway({ secrets: () => new Secret(serviceKey) });
  });
  afterAll(() => gateway.close());

  const PLACE = { lat: 37.5665, lon: 126.978 };
  const NOWCAST = 'kma_ultra_short_nowcast';
  /** Every call requests pages of another size, so that no response comes from the cache. */
  let pageSize = 10;
  const nowcast = (args: object = PLACE) =>
    gateway.call(NOWCAST, { numOfRows: ++pageSize, ...args });
  const sandboxRequests = async () => {
    const response = await fetch(`${gateway.sandbox.url}/_sandbox/requests`);
    return ((await response.json()) as { requests: { path: string }[] }).requests;
  };

  test.each([
    ['key', '30', 'Unregistered service key', 'publicData.30'],
    ['expired', '31', 'Expired service key', 'publicData.31'],
    ['blocked-ip', '32', 'Unregistered IP', 'publicData.32'],
  ])(
    `${verifies('publicData.30', 'publicData.31', 'publicData.32')}: XML with status 200 for a JSON request, %s`,
    async (fault, code, message) => {
      await gateway.fault(NOWCAST, fault);
      const { body } = await nowcast();
      expect(body.result.upstream.status).toBe(200);
      expect(body.result.publicData).toMatchObject({ code, message, hint: expect.any(String) });
      expect(body.result.data.OpenAPI_ServiceResponse.cmmMsgHeader.returnReasonCode).toBe(code);
      expect(body.result.cacheStatus).toBe('MISS');
    },
  );

  test.each([SERVICE_KEY, encodeURIComponent(SERVICE_KEY)])(
    `${verifies('contract.service-key-forms')}: %s`,
    async (form) => {
      serviceKey = form;
      await nowcast({ ...PLACE, numOfRows: 7 });
      serviceKey = SERVICE_KEY;
      const requests = await sandboxRequests();
      expect(requests.at(-1)?.path).toContain('numOfRows=7');
      expect(JSON.stringify(requests)).not.toContain(encodeURIComponent(encodeURIComponent('/')));
    },
  );
});
