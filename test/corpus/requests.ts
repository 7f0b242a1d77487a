import type { Area } from './corpus-request.ts';
import { ARGUMENTS } from './requests/arguments.ts';
import { AUDIT } from './requests/audit.ts';
import { BOUNDS, BOUNDS_ENV } from './requests/bounds.ts';
import { BROWSERS, BROWSERS_ENV } from './requests/browsers.ts';
import { COMMAND_LINES } from './requests/commands.ts';
import { EVENTS } from './requests/events.ts';
import { HEALTH } from './requests/health.ts';
import { HTTP } from './requests/http.ts';
import { HTTP_SSE } from './requests/http-sse.ts';
import { LIMITS, LIMITS_ENV } from './requests/limits.ts';
import { PLAIN } from './requests/plain.ts';
import { PUBLIC_DATA } from './requests/public-data.ts';
import { REST } from './requests/rest.ts';
import { STATELESS } from './requests/stateless.ts';
import { STREAMABLE_HTTP } from './requests/streamable-http.ts';
import { UPSTREAMS } from './requests/upstreams.ts';
import { WITHOUT_SECRETS } from './requests/without-secrets.ts';

/** All requests, by the gateway that receives them. */
export const AREAS: readonly Area[] = [
  { name: 'plain', gateway: {}, entries: PLAIN },
  { name: 'arguments', gateway: {}, entries: ARGUMENTS },
  { name: 'upstreams', gateway: {}, entries: UPSTREAMS },
  { name: 'public-data', gateway: {}, entries: PUBLIC_DATA },
  { name: 'streamable-http', gateway: {}, entries: STREAMABLE_HTTP },
  { name: 'stateless', gateway: {}, entries: STATELESS },
  { name: 'http-sse', gateway: {}, entries: HTTP_SSE },
  { name: 'events', gateway: {}, entries: EVENTS },
  { name: 'rest', gateway: {}, entries: REST },
  { name: 'audit', gateway: {}, entries: AUDIT },
  { name: 'health', gateway: {}, entries: HEALTH },
  { name: 'http', gateway: {}, entries: HTTP },
  { name: 'browsers', gateway: { env: BROWSERS_ENV }, entries: BROWSERS },
  { name: 'limits', gateway: { env: LIMITS_ENV }, entries: LIMITS },
  { name: 'bounds', gateway: { env: BOUNDS_ENV }, entries: BOUNDS },
  { name: 'without-secrets', gateway: { lacksSecrets: true }, entries: WITHOUT_SECRETS },
  { name: 'commands', gateway: {}, entries: COMMAND_LINES },
];
