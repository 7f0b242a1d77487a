import { createRateLimiter } from '../access/limits/rate-limiter.ts';
import type { CatalogueRoutesDeps } from '../dialects/admin/catalogue.ts';
import type { HomeRoutesDeps } from '../dialects/admin/home.ts';
import type { PlaygroundRoutesDeps } from '../dialects/admin/playground.ts';
import { encodeError, encodeOutcome } from '../dialects/plain/encode.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { normaliseSample } from '../sandbox/normalise-sample.ts';
import { readSample } from '../sandbox/read-sample.ts';
import { createPresetDetails } from '../tools/catalog/preset-details.ts';
import type { Core } from './core.ts';
import type { GatewayContext } from './options.ts';
import type { Registered } from './registered.ts';
import type { Storage } from './storage.ts';

/** Tools that one person may run in the dashboard. */
const RUNS_PER_MINUTE = 60;

/** The parts of the gateway that list and run tools. */
export type ToolParts = Pick<Core, 'callTool'> & Pick<Registered, 'registrations'>;

/** What the dashboard needs to show tools and to run them. */
export const adminTools = (
  { settings, catalog, keySource }: GatewayContext,
  { shared }: Storage,
  { callTool, registrations }: ToolParts,
): HomeRoutesDeps & CatalogueRoutesDeps & PlaygroundRoutesDeps => {
  const runs = createRateLimiter({ ...shared('runs'), limitPerMinute: RUNS_PER_MINUTE });
  return {
    catalog,
    version: VERSION,
    gatewayUrl: settings.BASE_URL,
    ready: registrations.ready,
    readDetails: createPresetDetails(),
    hasSecret: (name) => keySource.secretOf(name) !== undefined,
    sampleOf: (preset, tool) => {
      const sample = readSample(preset, tool.name);
      return sample && normaliseSample(tool, sample)?.json;
    },
    callTool,
    countRun: (personId) => runs.consume(personId),
    encode: { outcome: encodeOutcome, error: encodeError },
  };
};
