import { pino } from 'pino';
import { createApiKeyStore } from '../../src/access/keys/api-key-store.ts';
import { createAuthenticator } from '../../src/access/keys/authenticator.ts';
import type { CallerLimiter } from '../../src/access/limits/caller-limiter.ts';
import { createFailureLimiter } from '../../src/access/limits/failure-limiter.ts';
import { createRateLimiter, type RateLimiter } from '../../src/access/limits/rate-limiter.ts';
import { createSecurityLog } from '../../src/access/trail/security-log.ts';
import { createEventsDialect, publishJob } from '../../src/dialects/events/dialect.ts';
import { createTenantRoutes } from '../../src/dialects/manage/manage-routes.ts';
import {
  createRegistrationRoutes,
  type RegistrationRoutesDeps,
} from '../../src/dialects/rest/registrations.ts';
import { createToolRoutes } from '../../src/dialects/rest/tools.ts';
import { createStreamHub } from '../../src/events/stream-hub.ts';
import { createResponseCounts } from '../../src/http/access-log.ts';
import { createApp } from '../../src/http/app.ts';
import { createClientAddress } from '../../src/http/client-address.ts';
import { openClientConnections } from '../../src/http/connections/connections.ts';
import { listen } from '../../src/http/listen.ts';
import { readSettings } from '../../src/platform/config/settings.ts';
import { type ByteBudget, createByteBudget } from '../../src/platform/kernel/byte-budget.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import type { Vault } from '../../src/platform/vault/vault.ts';
import {
  type ChangeOperationsDeps,
  createChangeOperations,
  createRegistrationOperations,
  type RegistrationOperationsDeps,
} from '../../src/registrations/operations.ts';
import { createRegistrations, type Registrations } from '../../src/registrations/registrations.ts';
import type { RegistrationSteps } from '../../src/registrations/steps/registration-steps.ts';
import { type Catalog, createCatalog } from '../../src/tools/catalog/catalog.ts';
import { makePreset, makeTool } from './catalog-entries.ts';
import type { TestBackend } from './databases.ts';
import type { JsonResponse } from './gateway.ts';
import {
  DECODE_LIMITS,
  openRegistrationPlace,
  type RegistrationPlace,
  smallSteps,
} from './registrations.ts';

export interface RegistrationServerOptions {
  readonly backend: TestBackend;
  readonly maxDocumentBytes?: number;
  readonly budgetBytes?: number;
  readonly rateLimit?: number;
  readonly vault?: Vault;
  readonly steps?: RegistrationSteps;
  /** What an admitted request waits for. */
  readonly prepare?: () => Promise<void>;
}

export type RegistrationInit = RequestInit & { readonly key?: string | null };

/** The gateway's server with the routes of registration, over a real database. Descriptions are those of `smallSteps`. */
export interface RegistrationServer {
  readonly url: string;
  /** Of tenant `ours`, without a list of allowed tools. */
  readonly key: string;
  readonly place: RegistrationPlace;
  readonly registrations: Registrations;
  /** With the preset tool `rates`; tests add layers. */
  readonly catalog: Catalog;
  readonly budget: ByteBudget;
  createKey(
    tenant: 'ours' | 'theirs',
    allowedTools?: string[],
  ): Promise<{ id: string; key: string }>;
  json(path: string, init?: RegistrationInit): Promise<JsonResponse>;
  /** Sends a form with a description. */
  sendForm(path: string, members: object, document: string): Promise<JsonResponse>;
  /** Sends a JSON body. */
  send(method: string, path: string, body: unknown, init?: RegistrationInit): Promise<JsonResponse>;
  close(): Promise<void>;
}

const logger = pino({ level: 'silent' });

export async function openRegistrationServer(
  options: RegistrationServerOptions,
): Promise<RegistrationServer> {
  const place = await openRegistrationPlace(options.backend);
  const keys = createApiKeyStore({ db: place.database.db, clock: systemClock });
  const hub = createStreamHub({ logger });
  const failures: unknown[] = [];
  const registrations = createRegistrations({
    ...place.deps,
    ...(options.vault ? { vault: options.vault } : {}),
    clock: systemClock,
    steps: options.steps ?? smallSteps(),
    serve: async () => undefined,
    onChanged: (view, owner) => publishJob(hub, view, owner),
    onError: (error) => void failures.push(error),
  });
  const catalog = createCatalog({ presets: [makePreset('money/bank', makeTool('rates'))] });
  const budget = createByteBudget(options.budgetBytes ?? 256 * 1024 * 1024);
  const server = await listenWith(options, {
    keys,
    hub,
    catalog,
    budget,
    routes: {
      // Nothing is served here.
      registrations: { ...registrations, ready: async () => undefined },
      statistics: { prefixCalls: async () => [] },
      catalog,
      limits: {
        ...DECODE_LIMITS,
        ...(options.maxDocumentBytes && { maxDocumentBytes: options.maxDocumentBytes }),
      },
    },
  });
  const createKey: RegistrationServer['createKey'] = async (tenant, allowedTools) => {
    const tenantId = place[tenant];
    const { record, text } = await keys.create({ tenantId, name: 'test', allowedTools });
    return { id: record.id, key: text.reveal() };
  };
  const { key } = await createKey('ours');
  const json: RegistrationServer['json'] = async (path, { key: as = key, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (as !== null) headers.set('x-api-key', as);
    const response = await fetch(`${server.url}${path}`, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : null,
    };
  };
  return {
    url: server.url,
    key,
    place,
    registrations,
    catalog,
    budget,
    createKey,
    json,
    sendForm: (path, members, document) => {
      const body = new FormData();
      body.set('request', JSON.stringify(members));
      body.set('document', new Blob([document]));
      return json(path, { method: 'POST', body });
    },
    send: (method, path, body, init = {}) =>
      json(path, {
        ...init,
        method,
        headers: { 'content-type': 'application/json', ...init.headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: async () => {
      await hub.close();
      await server.close();
      await registrations.close();
      await place.close();
      if (failures.length > 0) throw new AggregateError(failures);
    },
  };
}

interface ServerParts {
  readonly keys: ReturnType<typeof createApiKeyStore>;
  readonly hub: ReturnType<typeof createStreamHub>;
  readonly catalog: Catalog;
  readonly budget: ByteBudget;
  readonly routes: RegistrationRoutesDeps & RegistrationOperationsDeps & ChangeOperationsDeps;
}

async function listenWith(
  options: RegistrationServerOptions,
  { keys, hub, catalog, budget, routes }: ServerParts,
) {
  const clientAddress = createClientAddress(undefined);
  const nothing = (): void => undefined;
  const authenticator = createAuthenticator({
    store: keys,
    clock: systemClock,
    pollMs: 50,
    onRevoked: nothing,
    onForgotten: nothing,
    onChanged: nothing,
    onCreated: nothing,
  });
  const settings = readSettings({});
  const isTrustedProxy = clientAddress.isProxy;
  const connections = openClientConnections({ settings, logger, isTrustedProxy });
  const app = await createApp({
    responses: createResponseCounts(),
    logger,
    authenticator,
    limiter: rateOnly(createRateLimiter({ limitPerMinute: options.rateLimit ?? 0 })),
    failureLimiter: createFailureLimiter({ limitPerMinute: 0 }),
    securityLog: createSecurityLog(logger),
    refused: nothing,
    wrongKeys: { count: nothing },
    maxBodyBytes: settings.MAX_BODY_BYTES,
    budget,
    clientAddress,
    baseUrl: '/',
    ownAddresses: [],
    prepare: options.prepare ?? nothing,
    hopMark: 'test',
    version: '0.0.0',
    dashboardDir: '',
    origins: [],
    connections,
    toolCalls: () => [],
    routes: [
      createEventsDialect({
        hub,
        toolsets: new Map(),
        categoriesOf: catalog.categories,
        keepaliveMs: settings.SSE_KEEPALIVE_MS,
        maxBufferBytes: settings.SSE_MAX_BUFFER_BYTES,
      }),
      ...createToolRoutes(catalog),
      ...createRegistrationRoutes(routes),
      ...createTenantRoutes({
        ...createRegistrationOperations(routes),
        ...createChangeOperations(routes),
      }),
    ],
  });
  const port = await listen(app, { host: '127.0.0.1', port: 0, setting: 'PORT' });
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await app.close();
      await authenticator.close();
      await connections.close();
    },
  };
}

const rateOnly = (rateLimiter: RateLimiter): CallerLimiter => ({
  consume: ({ apiKeyId }, points) => rateLimiter.consume(apiKeyId, points),
});
