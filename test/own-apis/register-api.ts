import { expect } from 'vitest';
import type { JsonResponse, TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

/** Sends a JSON body. */
export const sendJson = (
  gateway: TestGateway,
  method: string,
  path: string,
  key: string,
  body: unknown,
): Promise<JsonResponse> =>
  gateway.json(path, {
    method,
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Registers an API, and resolves with its job and its registration once it is registered. */
export async function registerApi(
  gateway: TestGateway,
  key: string,
  request: Readonly<Record<string, unknown>>,
) {
  const { status, body } = await sendJson(gateway, 'POST', '/api/v1/register', key, request);
  expect([status, body]).toMatchObject([202, {}]);
  let job: JsonResponse['body'];
  await until(async () => {
    job = (await gateway.json(body.status_url, { key })).body;
    return job.progress === 1;
  });
  expect(job).toMatchObject({ status: 'registered', error: null });
  const { registrations } = (await gateway.json('/api/v1/registrations?limit=100', { key })).body;
  const registration = registrations.find(
    (each: { name: string }) => each.name === request['name'],
  );
  return { job, registration };
}
