import { expect, it } from 'vitest';
import { makeApi, makeTool } from '../../../../test/support/catalog-entries.ts';
import type { CallOutcome } from '../../../calls/tool-call.ts';
import type { TenantContext } from '../admin-route.ts';
import { createTrialRoutes, type TrialRouteDeps } from './trial-routes.ts';

const ID = `job_${'0'.repeat(26)}`;
const CONTEXT = {
  tenant: { id: 'ten_1', slug: 'own', name: 'Own' },
  actor: { id: 'person_1' },
  request: { headers: {}, requestId: 'req_1', clientIp: '192.0.2.1' },
} as TenantContext;

/** Tries a tool whose API responds with a text of this length. */
function attempt(length: number) {
  const [entry] = makeApi('own/job', [makeTool('list')]);
  if (!entry) throw new Error('The API has no tool.');
  const json = Buffer.from(JSON.stringify('x'.repeat(length - 2)));
  const response = { json, status: 200, url: 'https://upstream.example/list' };
  const outcome = { auditId: 'aud_1', entry, response, isError: false } as unknown as CallOutcome;
  const routes = createTrialRoutes({
    registrations: { trials: { ofJob: async () => entry } },
    callEntry: async () => outcome,
    limits: { urls: { allowPrivate: false, ownHosts: new Set() } },
  } as unknown as TrialRouteDeps);
  return routes['POST /tenants/:tenant/registration-jobs/:id/try'].handle(CONTEXT, {
    id: ID,
    tool: 'list',
    arguments: {},
  });
}

it('shows a response as a value up to a bound, and the beginning of a longer one', async () => {
  const bound = 256 * 1024;
  const whole = await attempt(bound);
  expect(whole.response).toMatchObject({ bytes: bound, beginning: null });
  expect(whole.response?.data).toHaveLength(bound - 2);
  const cut = await attempt(bound + 1);
  expect(cut.response).toMatchObject({ bytes: bound + 1, data: null });
  expect(cut.response?.beginning).toHaveLength(16 * 1024);
});
