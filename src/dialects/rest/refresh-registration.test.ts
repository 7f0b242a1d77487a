import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import { registerApi } from '../../../test/support/register-api.ts';
import {
  DECODE_LIMITS,
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  smallSteps,
} from '../../../test/support/registrations.ts';
import { createRegistrations, type Registrations } from '../../registrations/registrations.ts';
import type { RouteRequest } from '../route.ts';
import { createRegistrationRoutes } from './registrations.ts';

const URL_OF = 'https://api.example.com/openapi.json';

describeStores('POST /api/v1/registrations/:id/refresh', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  let id: string;
  const documents: Record<string, string> = {};

  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    documents[URL_OF] = description('list get');
    const steps = smallSteps(documents);
    id = await registerApi(here, here.ours, { spec_url: URL_OF }, steps);
    const ignore = (): void => undefined;
    registrations = createRegistrations({
      ...here.deps,
      serve: async () => undefined,
      steps,
      onChanged: ignore,
      onError: ignore,
    });
  });
  afterEach(async () => {
    await registrations.close();
    await here.close();
  });

  async function send(body: string | null, tenantId = here.ours, path = id, headers = {}) {
    const limits = { ...DECODE_LIMITS, maxDocumentBytes: 500_000 };
    const catalog = { findById: () => undefined };
    const routes = createRegistrationRoutes({ registrations, catalog, limits });
    const route = routes.find(({ operation }) => operation === 'refreshRegistration');
    const request = {
      params: { id: path },
      body: body === null ? null : Buffer.from(body),
      headers,
      caller: { tenantId, apiKeyId: 'key_1', allowedTools: null },
      memory: () => ({ take: () => true }),
    } as unknown as RouteRequest;
    return JSON.parse(String(await route?.handle(request)));
  }

  it.each([null, '', '{}', ' { "dry_run": false } '])(
    'fetches the description again with the body %j',
    async (body) => {
      documents[URL_OF] = description('list put#new');
      const refreshed = await send(body);
      const { extensions, ...registration } = await registrations.get({ tenantId: here.ours }, id);
      expect(extensions).toEqual([]);
      expect(refreshed).toEqual({
        outcome: 'updated',
        changes: { added: ['put'], removed: ['get'], changed: [] },
        origins: { before: ['https://api.example.com'], after: ['https://api.example.com'] },
        report: { tools: 2 },
        registration,
      });
    },
  );

  it('takes the description of a form', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = (name: string, text: string) =>
      `--b\r\ncontent-disposition: form-data; name=${name}\r\n\r\n${text}\r\n`;
    const sendForm = (text: string) => {
      const form = `${part('request', '{"dry_run":true}')}${part('document', text)}--b--`;
      return send(form, here.ours, id, headers);
    };
    const refreshed = await sendForm(`${description('list put')}\n${'x'.repeat(300_000)}`);
    expect(refreshed).toMatchObject({ outcome: 'checked', changes: { added: ['put'] } });
    await expect(sendForm('x'.repeat(500_001))).rejects.toMatchObject({ code: 'too_large' });
  });

  it.each([
    ['not JSON', '{', 'unreadable_request'],
    ['not an object', '[]', 'invalid_arguments'],
    ['an unknown member', '{"auth":{}}', 'invalid_arguments'],
  ])('refuses a body that is or has %s', async (_, body, code) => {
    await expect(send(body)).rejects.toMatchObject({ code });
  });

  it('finds no registration of another tenant, and none by what is not an id', async () => {
    const notFound = { code: 'not_found', message: 'There is no registration with this id.' };
    await expect(send(null, here.theirs)).rejects.toMatchObject(notFound);
    await expect(send(null, here.ours, '\u0000')).rejects.toMatchObject(notFound);
  });
});
