import type { Secret } from '../platform/kernel/secret.ts';
import { createSecretStore } from '../platform/vault/secret-store.ts';
import type { CatalogLayers } from '../tools/catalog/catalog-layers.ts';
import type { ProposalFamily } from '../tools/proposal.ts';
import type { AccessTokens } from '../upstreams/oauth/access-tokens.ts';
import { createFindDocument, createProposals } from './proposals/proposals.ts';
import { createRecompilations } from './refresh/recompilations.ts';
import { createRegistrations, type RegistrationsDeps } from './registrations.ts';
import { openLayersInUse, warmLayers } from './serving/layers-in-use.ts';
import {
  type Connect,
  type ConnectionDeps,
  connectRegistration,
} from './serving/registered-connection.ts';
import type { DescriptionCompiler } from './steps/description-compiler.ts';
import type { RegistrationSteps } from './steps/registration-steps.ts';
import { MAX_WAITING_SEARCHES, POLL_MS } from './store/registration-bounds.ts';
import { createRegistrationStore } from './store/registration-store.ts';

export interface OpenRegistrationsDeps
  extends Pick<RegistrationsDeps, 'db' | 'vault' | 'clock' | 'onChanged'>,
    Omit<ConnectionDeps, 'tokens'> {
  readonly catalog: CatalogLayers;
  readonly compiler: DescriptionCompiler;
  /** A cache of access tokens. */
  readonly createTokens: () => AccessTokens;
  readonly fetchDocument: RegistrationSteps['fetchDocument'];
  readonly families: readonly ProposalFamily[];
  /** Counts a call that tests a proposal. Rejects with `rate_limited`. */
  readonly countTest: (tenantId: string) => Promise<void>;
  /** The key of a data portal as its requests need it, however it was given. */
  readonly decodePortalKey: (key: Secret) => Secret;
  /** Memory for registered tools, roughly. */
  readonly maxLayerBytes: number;
  /** Called after the registered tools of a tenant have changed. Must not throw. */
  readonly onListChanged: (tenantId: string) => void;
  /** Called with what keeps a job from ending, or a registration from being served. Must not throw. */
  readonly onError: (error: unknown, subjectId: string) => void;
}

export type OpenRegistrations = Awaited<ReturnType<typeof openRegistrations>>;

/** How long the first request of a tenant waits for its tools. */
const MAX_WAIT_MS = 10_000;

/**
 * Registered APIs as a whole: their jobs, and their tools in the catalog. Closing them closes the compiler. Rejects while the
 * database is away.
 */
export async function openRegistrations(deps: OpenRegistrationsDeps) {
  const { catalog, compiler, fetchDocument } = deps;
  const secrets = createSecretStore(deps);
  const connectWith =
    (tokensOf: () => AccessTokens): Connect =>
    (registration, credentials, tools) => {
      const { token } = credentials;
      // Portals show their keys percent-encoded, too: tenants give either form, as operators do.
      const isPortal = token !== undefined && tools.some(({ isPublicData }) => isPublicData);
      const shown = isPortal ? { ...credentials, token: deps.decodePortalKey(token) } : credentials;
      const { client, keyOf, maySend } = deps;
      const connected = { client, keyOf, maySend, tokens: tokensOf() };
      return connectRegistration(connected, registration, shown);
    };
  const tokens = deps.createTokens();
  const layers = await openLayersInUse({
    ...deps,
    store: createRegistrationStore(deps),
    secrets,
    connect: connectWith(() => tokens),
    maxBytes: deps.maxLayerBytes,
    maxWaitMs: MAX_WAIT_MS,
    pollMs: POLL_MS,
  });
  const closing = new AbortController();
  const warmed = warmLayers(layers, { db: deps.db, maxBytes: deps.maxLayerBytes }, closing.signal);
  const findDocument = createFindDocument(deps);
  const registrations = createRegistrations({
    ...deps,
    steps: { fetchDocument, findDocument, compile: compiler.compile },
    isSharedName: catalog.isSharedName,
    serve: layers.sync,
  });
  const searches = createRecompilations({ maxWaiting: MAX_WAITING_SEARCHES });
  return {
    ...registrations,
    ready: layers.ready,
    isReady: layers.isReady,
    proposals: createProposals({
      ...deps,
      // A test needs its token once: among the tokens of registrations, it would only displace another tenant's.
      connect: connectWith(deps.createTokens),
      inTurn: searches.run,
    }),
    close: async (): Promise<void> => {
      closing.abort();
      await searches.close();
      await registrations.close();
      // Together: a layer that is being loaded would otherwise wait for all its descriptions.
      await Promise.all([compiler.close(), warmed, layers.close()]);
    },
  };
}
