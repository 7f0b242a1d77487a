import { ownAddresses } from '../http/origins.ts';
import { pageAddress } from '../platform/config/contact.ts';
import type { Settings } from '../platform/config/settings.ts';
import { isLoopbackHost } from '../platform/kernel/addresses.ts';
import type { ByteBudget } from '../platform/kernel/byte-budget.ts';
import { createHopMark } from '../platform/kernel/http-names.ts';
import { createSteadyClock } from '../platform/kernel/time.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { USER_AGENT } from '../tools/request/request-encoder.ts';
import { hostOf, isPublicAddress } from '../upstreams/guard/check-url.ts';
import { createDocumentFetcher } from '../upstreams/guard/document-fetcher.ts';
import { createDnsResolve, createGuard, systemResolve } from '../upstreams/guard/guard.ts';
import { createGuardedClient } from '../upstreams/guard/guarded-client.ts';
import { createAccessTokens } from '../upstreams/oauth/access-tokens.ts';
import type { GatewayContext } from './options.ts';

/** Creates the parts that send requests to addresses which tenants choose. */
export function createGuarded(
  context: Pick<GatewayContext, 'settings' | 'clock' | 'logger' | 'parts'>,
  budget: ByteBudget,
) {
  const { settings, clock, parts } = context;
  const allowPrivate = settings.ALLOW_PRIVATE_UPSTREAMS;
  /** The ports of this process, added once it listens. */
  const ownPorts = new Set<number>();
  const urls = { allowPrivate, ownHosts: ownHosts(ownAddresses(settings)) };
  const guard = createGuard({
    ...urls,
    ownPorts,
    resolve: allowPrivate ? systemResolve : createDnsResolve(),
    isPublic: isPublicAddress,
  });
  const hopMark = createHopMark(settings.ENCRYPTION_KEY);
  const client = parts.add(createGuardedClient({ guard, hopMark, ...clientOptions(context) }));
  return {
    hopMark,
    ownPorts,
    urls,
    client,
    documents: createDocumentFetcher({ guard, hopMark }),
    /** Fetches what the operator's own authorization server publishes. */
    issuerDocuments: createDocumentFetcher({ guard, hopMark, maxRedirects: 0 }),
    /** Fetches what hosts publish: whatever the settings say, only from public addresses, and without redirects. */
    publicDocuments: createDocumentFetcher({
      guard: createGuard({
        ownHosts: urls.ownHosts,
        allowPrivate: false,
        ownPorts,
        resolve: createDnsResolve(),
        isPublic: isPublicAddress,
      }),
      hopMark,
      maxRedirects: 0,
    }),
    createTokens: () => {
      const { checkUrl } = guard;
      return createAccessTokens({ client, checkUrl, budget, clock: createSteadyClock(clock) });
    },
  };
}

/** What the clients of presets and of registered APIs share. */
export const clientOptions = ({
  settings,
  clock,
  logger,
}: Pick<GatewayContext, 'settings' | 'clock' | 'logger'>) => ({
  maxBytes: settings.UPSTREAM_MAX_BYTES,
  concurrencyPerOrigin: settings.UPSTREAM_CONCURRENCY,
  closeGraceMs: settings.SHUTDOWN_GRACE_MS,
  clock,
  logger,
});

/** A loopback host is any program of this machine; the guard compares its port when it connects. */
const ownHosts = (addresses: readonly string[]): ReadonlySet<string> =>
  new Set(
    addresses
      .map((address) => new URL(address))
      .filter(({ hostname }) => !isLoopbackHost(hostname))
      .map(hostOf),
  );

type ContactSettings = Pick<Settings, 'UPSTREAM_CONTACT' | 'BASE_URL'>;

/** How the gateway introduces itself to the providers of presets: its version, and where to reach its operator. */
export function userAgentOf(settings: ContactSettings): string {
  const contact = contactOf(settings);
  return `${USER_AGENT}/${VERSION}${contact === undefined ? '' : ` (+${contact})`}`;
}

function contactOf({ UPSTREAM_CONTACT, BASE_URL }: ContactSettings): string | undefined {
  if (UPSTREAM_CONTACT !== undefined || BASE_URL === undefined) return UPSTREAM_CONTACT;
  // Without TLS, it is mostly the address of a trial, which names no contact.
  return new URL(BASE_URL).protocol === 'https:' ? pageAddress(BASE_URL) : undefined;
}

/** Says which presets have providers that may refuse requests without a contact, unless there is one. */
export function warnWithoutContact(context: GatewayContext): void {
  const { settings, catalog, logger, worker, isSandbox } = context;
  if (isSandbox || contactOf(settings) !== undefined || (worker && worker.number > 1)) return;
  const names = catalog.servers.flatMap(({ id, title, tools }) =>
    tools.some(({ contactHeader }) => contactHeader !== undefined) ? [`${title} (${id})`] : [],
  );
  if (names.length === 0) return;
  logger.warn(
    `The providers of these presets may refuse requests that name no contact: ${names.join(', ')}. Set UPSTREAM_CONTACT to an e-mail address or the address of a page.`,
  );
}
