import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makeTool } from '../../test/support/catalog-entries.ts';
import { describeStores } from '../../test/support/databases.ts';
import { registerApi } from '../../test/support/register-api.ts';
import {
  DECODE_LIMITS,
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  request,
  smallSteps,
} from '../../test/support/registrations.ts';
import { until } from '../../test/support/until.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import type { UpstreamRequest } from '../tools/model.ts';
import { NO_FACTS, type ProposalDraft } from '../tools/proposal.ts';
import type { SendOptions } from '../tools/tool-connection.ts';
import { type OpenRegistrationsDeps, openRegistrations } from './open-registrations.ts';
import {
  createDescriptionCompiler,
  type DescriptionCompiler,
} from './steps/description-compiler.ts';
import { packDocument } from './store/documents.ts';
import { insertProposal } from './store/proposal-store.ts';

const AUTH = {
  type: 'oauth2_client_credentials',
  token_url: 'https://id.example.com/token',
  client_id: 'me',
  client_secret: 'secret',
};

const DRAFT: ProposalDraft = {
  family: null,
  hosts: [],
  origin: null,
  dataset: NO_FACTS,
  operations: [{ operation: 'GET /list', title: null, asks: [] }],
  proposals: [],
  problems: [],
};

const none = () => Promise.reject(new Error('Nothing is sent.'));

const COMPILER: DescriptionCompiler = {
  compile: smallSteps().compile,
  load: none,
  propose: none,
  stampOf: () => '',
  unpack: none,
  close: async () => undefined,
};

describeStores('registrations as a whole', (backend) => {
  const openWith = (here: RegistrationPlace, deps: Partial<OpenRegistrationsDeps>) =>
    openRegistrations({
      ...here.deps,
      catalog: createCatalog({ presets: [] }),
      compiler: COMPILER,
      client: { send: none },
      createTokens: () => ({ get: none, renew: none }),
      fetchDocument: none,
      families: [],
      keyOf: () => undefined,
      maySend: () => false,
      countTest: none,
      maxLayerBytes: 1_000_000,
      onChanged: () => undefined,
      decodePortalKey: (key) => key,
      onListChanged: () => undefined,
      onError: () => undefined,
      ...deps,
    });

  it('keep the access tokens of tests apart from those of registrations', async () => {
    const here = await openRegistrationPlace(backend);
    const { id } = await insertProposal(
      here.deps,
      { tenantId: here.ours, descriptionUrl: null, draft: DRAFT },
      await packDocument(Buffer.from(description('list'))),
    );
    const asked: number[] = [];
    let caches = 0;
    const tool = { ...makeTool('list'), baseUrl: 'https://api.example.com/v1' };
    const registrations = await openWith(here, {
      compiler: {
        ...COMPILER,
        compile: ({ options, ...input }, limits) =>
          smallSteps().compile({ ...input, options: { ...options, include: null } }, limits),
        load: async () => ({
          loaded: { tools: [tool], baseUrl: tool.baseUrl, bytes: 1 },
          compiledTools: null,
        }),
      },
      countTest: async () => undefined,
      createTokens: () => {
        const cache = caches++;
        const get = () => {
          asked.push(cache);
          return none();
        };
        return { get, renew: none };
      },
    });
    const tenant = { tenantId: here.ours, tenantSlug: 'ours' };
    for (let n = 0; n < 2; n++) {
      const { entry } = await registrations.proposals.prepare(tenant, id, {
        operation: 'GET /list',
        baseUrl: null,
        authentication: request({ auth: AUTH }).authentication,
        extensions: [],
      });
      const sent = { origin: 'https://api.example.com' } as UpstreamRequest;
      await expect(entry.connection?.sender.send(sent, {} as SendOptions)).rejects.toThrow();
    }
    expect(asked).toEqual([1, 2]);
    await registrations.close();
    await here.close();
  });

  it('close without waiting for the descriptions that are still to be loaded', async () => {
    const here = await openRegistrationPlace(backend);
    await registerApi(here, here.ours, { name: 'Pets' });
    const { promise: closed, reject: end } = Promise.withResolvers<never>();
    closed.catch(() => undefined);
    const errors: unknown[] = [];
    const registrations = await openWith(here, {
      compiler: {
        ...COMPILER,
        load: () => closed,
        close: async () => end(new GatewayError('unavailable')),
      },
      onError: (error) => void errors.push(error),
    });
    const first = Promise.resolve(registrations.ready(here.ours));
    const refused = expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await registrations.close();
    await refused;
    expect(errors).toEqual([]);
    await here.close();
  });

  it('serve after a restart what was stored when they were compiled', async () => {
    const here = await openRegistrationPlace(backend);
    const tenant = {
      tenantId: here.ours,
      tenantSlug: 'ours',
      apiKeyId: 'key_1',
      allowedTools: null,
    };
    const errors: unknown[] = [];
    const open = async () => {
      const catalog = createCatalog({ presets: [] });
      const registrations = await openWith(here, {
        clock: { now: () => Date.now() },
        catalog,
        compiler: createDescriptionCompiler({
          script: new URL('../compose/description-worker.ts', import.meta.url),
          domain: PUBLIC_DATA_TOOLS,
          urls: DECODE_LIMITS.urls,
          maxHeapMib: 256,
        }),
        maxLayerBytes: 10_000_000,
        onError: (error) => void errors.push(error),
      });
      return { registrations, catalog };
    };
    const first = await open();
    const { jobId } = await first.registrations.submit(
      tenant,
      request({
        name: 'Shop',
        spec_raw: SHOP,
        auth: { type: 'api_key', in: 'query', key_name: 'key', token: 'secret' },
        exclude: [{ operationId: 'order' }],
      }),
    );
    await until(
      async () => (await first.registrations.status(tenant, jobId)).status === 'registered',
    );
    await first.registrations.ready(here.ours);
    await first.registrations.close();
    const { db } = here.database;
    const row = await db.selectFrom('registrations').select('compiled').executeTakeFirstOrThrow();
    const stored = gunzipSync(row.compiled ?? '').toString();
    expect(stored).toContain('Lists goods.');
    const compiled = gzipSync(stored.replace('Lists goods.', 'As it was stored.'));
    await db.updateTable('registrations').set({ compiled }).execute();
    const second = await open();
    await second.registrations.ready(here.ours);
    const listed = second.catalog.list(tenant).map(({ tool }) => tool.description);
    expect(listed).toEqual(['As it was stored.']);
    await second.registrations.close();
    expect(errors).toEqual([]);
    await here.close();
  });
});

const SHOP = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com/v1' }],
  paths: {
    '/goods': { get: { operationId: 'list', description: 'Lists goods.', responses: {} } },
    '/orders': { post: { operationId: 'order', description: 'Orders goods.', responses: {} } },
  },
});
