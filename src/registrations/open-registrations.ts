import type { Secret } from '../platform/kernel/secret.ts';
import { createSecretStore } from '../platform/vault/secret-store.ts';
import type { CatalogLayers } from '../tools/catalog/catalog-layers.ts';
import type { Tool } from '../tools/model.ts';
import type { AccessTokens } from '../upstreams/oauth/access-tokens.ts';
import { createRecompilations } from './refresh/recompilations.ts';
import {
  createRegistrations,
  POLL_MS,
  type Registrations,
  type RegistrationsDeps,
} from './registrations.ts';
import type { Credentials } from './request/registration-request.ts';
import { type LayersInUse, openLayersInUse } from './serving/layers-in-use.ts';
import { type ConnectionDeps, connectRegistration } from './serving/registered-connection.ts';
import { createTrials, type TrialDeps, type Trials } from './serving/trials.ts';
import { warmLayers } from './serving/warm-layers.ts';
import type { DescriptionCompiler } from './steps/description-compiler.ts';
import type { RegistrationSteps } from './steps/registration-steps.ts';
import { createJobStore } from './store/job-store.ts';
import { createRegistrationStore } from './store/registration-store.ts';

export interface OpenRegistrationsDeps
  extends Pick<RegistrationsDeps, 'db' | 'vault' | 'clock' | 'onChanged'>,
    Omit<ConnectionDeps, 'tokens'> {
  readonly catalog: CatalogLayers;
  readonly compiler: DescriptionCompiler;
  /** A cache of access tokens. */
  readonly createTokens: () => AccessTokens;
  readonly fetchDocument: RegistrationSteps['fetchDocument'];
  /** The key of a data portal as its requests need it, however it was given. */
  readonly decodePortalKey: (key: Secret) => Secret;
  /** Memory for registered tools, roughly. */
  readonly maxLayerBytes: number;
  /** Called after registered tools have changed: those of a tenant, or of all tenants. Must not throw. */
  readonly onListChanged: (tenantId?: string) => void;
  /** Called with what keeps a job from ending, or a registration from being served. Must not throw. */
  readonly onError: (error: unknown, subjectId: string) => void;
}

export interface OpenRegistrations extends Registrations {
  /** As `ready` of the layers in use. */
  readonly ready: LayersInUse['ready'];
  readonly isReady: LayersInUse['isReady'];
  /** Tools that no catalog has yet. */
  readonly trials: Trials;
}

/** Portals show their keys percent-encoded, too: tenants give either form, as operators do. */
function keyOf(
  credentials: Credentials,
  tools: readonly Tool[],
  { decodePortalKey }: OpenRegistrationsDeps,
): Credentials {
  const isPortal = tools.some(({ isPublicData }) => isPublicData);
  const { token } = credentials;
  return isPortal && token ? { ...credentials, token: decodePortalKey(token) } : credentials;
}

/** How long the first request of a tenant waits for its tools. */
const MAX_WAIT_MS = 10_000;

/**
 * Registered APIs as a whole: their jobs, and their tools in the catalog. Closing them closes the compiler. Rejects while the
 * database is away.
 */
export async function openRegistrations(deps: OpenRegistrationsDeps): Promise<OpenRegistrations> {
  const { catalog, compiler, fetchDocument } = deps;
  const secrets = createSecretStore(deps);
  const connectWith =
    (tokensOf: () => AccessTokens): TrialDeps['connect'] =>
    (registration, credentials, tools) =>
      connectRegistration(
        { client: deps.client, tokens: tokensOf() },
        registration,
        keyOf(credentials, tools, deps),
      );
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
  const registrations = createRegistrations({
    ...deps,
    steps: { fetchDocument, compile: compiler.compile },
    isSharedName: catalog.isSharedName,
    serve: layers.sync,
  });
  const compilations = createRecompilations();
  const trials = createTrials({
    ...deps,
    secrets,
    // One call needs its token: among those of registrations, it would only displace another tenant's.
    connect: connectWith(deps.createTokens),
    findJob: createJobStore(deps).find,
    inTurn: compilations.run,
  });
  return {
    ...registrations,
    ready: layers.ready,
    isReady: layers.isReady,
    trials,
    close: async () => {
      closing.abort();
      await compilations.close();
      await registrations.close();
      // Together: a layer that is being loaded would otherwise wait for all its descriptions.
      await Promise.all([compiler.close(), warmed, layers.close()]);
    },
  };
}
