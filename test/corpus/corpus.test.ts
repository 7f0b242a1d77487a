import { expect, test } from 'vitest';
import type { Entry, GatewayNeeds } from './corpus-request.ts';
import { play } from './play.ts';
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
const AREAS: readonly (readonly [string, readonly Entry[], GatewayNeeds?])[] = [
  ['plain', PLAIN],
  ['arguments', ARGUMENTS],
  ['upstreams', UPSTREAMS],
  ['public-data', PUBLIC_DATA],
  ['streamable-http', STREAMABLE_HTTP],
  ['stateless', STATELESS],
  ['http-sse', HTTP_SSE],
  ['events', EVENTS],
  ['rest', REST],
  ['audit', AUDIT],
  ['health', HEALTH],
  ['http', HTTP],
  ['browsers', BROWSERS, { env: BROWSERS_ENV }],
  ['limits', LIMITS, { env: LIMITS_ENV }],
  ['bounds', BOUNDS, { env: BOUNDS_ENV }],
  ['without-secrets', WITHOUT_SECRETS, { lacksSecrets: true }],
  ['commands', COMMAND_LINES],
];

/** After an intended change, run `npm run corpus:record`, and review the difference. */
for (const [name, entries, needs = {}] of AREAS) {
  test(`the public interface is as recorded: ${name}`, async () => {
    await expect(await play(entries, needs)).toMatchFileSnapshot(`responses/${name}.txt`);
  });
}
