import { HOP_HEADER } from '../../platform/kernel/http-names.ts';
import type { UpstreamRequest } from '../../tools/model.ts';
import {
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamClientOptions,
} from '../client/create-upstream-client.ts';
import type { Guard } from './guard.ts';

export interface GuardedClientOptions
  extends Omit<UpstreamClientOptions, 'connect' | 'isolation' | 'maxOrigins'> {
  readonly guard: Pick<Guard, 'connectorFor'>;
  /** By which the gateway recognises its own requests. */
  readonly hopMark: string;
}

/** Origins of registered APIs in use, in total and for one tenant. */
const MAX_ORIGINS = 2000;
const MAX_ORIGINS_PER_TENANT = 100;

/** Headers that choose a host other than the checked one, or change the framing of the request. */
const CONNECTION_HEADERS: readonly string[] = [
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
];

/**
 * Creates the client for addresses that tenants choose. Every connection is guarded, and connections, circuits and slots
 * belong to one tenant. A redirect is followed within its origin only, so that credentials stay there.
 */
export function createGuardedClient({
  guard,
  hopMark,
  ...options
}: GuardedClientOptions): UpstreamClient {
  const { send, ...client } = createUpstreamClient({
    ...options,
    maxOrigins: MAX_ORIGINS,
    isolation: {
      maxOriginsPerTenant: MAX_ORIGINS_PER_TENANT,
      connectorFor: guard.connectorFor,
    },
  });
  return {
    ...client,
    send: (request, sendOptions) => send(withMark(request, hopMark), sendOptions),
  };
}

function withMark(request: UpstreamRequest, hopMark: string): UpstreamRequest {
  const headers: Record<string, string> = { ...request.headers };
  for (const name of CONNECTION_HEADERS) delete headers[name];
  headers[HOP_HEADER] = hopMark;
  return { ...request, headers };
}
