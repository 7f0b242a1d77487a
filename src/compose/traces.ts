import { openTraces, type Traces } from '../calls/traces/open-traces.ts';
import { VERSION } from '../platform/kernel/version.ts';
import type { GatewayContext } from './options.ts';

/** How long one export of spans may take, and the last one at shutdown. */
const EXPORT_TIMEOUT_MS = 5000;

/** Opens the export of spans, if a collector is set. Closes after the calls have ended, because it opens before them. */
export function openCallTraces(context: GatewayContext): Traces | undefined {
  const { settings, clock, logger, parts } = context;
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  const headers = settings.OTEL_EXPORTER_OTLP_HEADERS;
  const target = {
    url: `${endpoint}/v1/traces`,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
    serviceName: settings.OTEL_SERVICE_NAME,
    version: VERSION,
    timeoutMs: EXPORT_TIMEOUT_MS,
  };
  const ratio = settings.OTEL_TRACES_SAMPLER_ARG;
  const closeGraceMs = Math.min(settings.SHUTDOWN_GRACE_MS, EXPORT_TIMEOUT_MS);
  return parts.add(openTraces({ target, ratio, closeGraceMs, clock, logger }));
}
