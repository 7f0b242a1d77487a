import { addressBlock } from '../access/limits/failure-limiter.ts';
import { chargeSource, createRateLimiter } from '../access/limits/rate-limiter.ts';
import type { CallTool } from '../calls/call-tool.ts';
import { createLinkRows, withLinks } from '../calls/link-rows.ts';
import { createResultStore, type ResultStore } from '../calls/results/result-store.ts';
import { createResultRoutes } from '../dialects/rest/results.ts';
import { localHost } from '../platform/kernel/addresses.ts';
import { createOutageLog } from '../platform/kernel/log-lines.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** Requests of one address block for files without a key: as many as of a key. */
const REQUESTS_PER_MINUTE = 600;

/** Opens the store of whole answers. */
export function openResults(
  { settings, clock, logger, parts }: GatewayContext,
  { database: { db } }: Storage,
) {
  const onError = createOutageLog(logger, 'answers cannot be kept as files');
  const maxBytes = settings.RESULTS_MAX_BYTES;
  return parts.add(createResultStore({ db, clock, maxBytes, onError }));
}

/** The files of answers: what adds them to calls, and where they are served. `boundPort` is where the gateway listens. */
export function createResultParts(
  { settings, logger, catalog }: GatewayContext,
  { shared }: Storage,
  { results, callTool }: { readonly results: ResultStore; readonly callTool: CallTool },
  boundPort: () => number,
) {
  const linkRows = createLinkRows({
    results,
    baseUrl: () => settings.BASE_URL ?? `http://${localHost(settings.HOST)}:${boundPort()}`,
    onError: createOutageLog(logger, 'an answer could not be kept as a file'),
  });
  const rateLimiter = createRateLimiter({
    ...shared('results'),
    limitPerMinute: REQUESTS_PER_MINUTE,
  });
  return {
    linkRows,
    callTool: withLinks(callTool, linkRows),
    routes: createResultRoutes({
      results,
      canUse: (caller, tool) => catalog.find(caller, tool) !== undefined,
      admit: ({ clientIp }) => chargeSource(rateLimiter, addressBlock(clientIp)),
    }),
  };
}
