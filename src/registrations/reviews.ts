import type { Caller } from '../access/keys/caller.ts';
import { runQuery } from '../platform/database/database-error.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import { isWaiting, type ShownSource, sourceOf } from './person-views.ts';
import type { Recompilations } from './refresh/recompilations.ts';
import { type RecompileDeps, recompile } from './refresh/recompile.ts';
import { type RegistrationView, toRegistrationView } from './registration-views.ts';
import { type OriginChange, originsOf } from './steps/origins.ts';
import { compareVersions, type VersionChanges } from './store/compare-versions.ts';
import { readDocument } from './store/documents.ts';
import { findVersions, type Versions } from './store/find-registration.ts';
import type { RegistrationRecord } from './store/registration-record.ts';
import { createRegistrationStore, type RegistrationPage } from './store/registration-store.ts';
import { copyVersion } from './store/versions.ts';

/** What an operator decides on: a new public API, or a new version of one. */
export interface ReviewSummary extends RegistrationView {
  readonly tenant: string;
  readonly kind: 'new' | 'change';
  /** Names what is reviewed: a decision that names another one is refused. */
  readonly revision: number;
  readonly source: ShownSource;
  readonly tools: readonly string[];
}

export interface Review extends ReviewSummary {
  readonly origins: readonly string[];
  /** Texts that the tenant wrote, by the name of the tool. */
  readonly ownTexts: Readonly<Record<string, string>>;
  readonly report: ApiReport;
}

/** How what waits differs from what is in use. */
export interface ReviewChanges {
  readonly changes: VersionChanges;
  readonly origins: OriginChange;
}

export interface Decision {
  readonly revision: number;
  readonly reason?: string | undefined;
}

/** What waits for the operator, of all tenants. What does not wait is `not_found`. */
export interface Reviews {
  list(page: RegistrationPage): Promise<readonly ReviewSummary[]>;
  get(id: string): Promise<Review>;
  /** Null for a new API: all of it is new. Rejects with the error of the compilation, or `rate_limited`. */
  changes(id: string): Promise<ReviewChanges | null>;
  /** The description as it is stored: its address may serve another one to the operator. */
  document(id: string): Promise<Uint8Array>;
  /** Rejects with `conflict` if the registration was changed since. */
  approve(actor: string, id: string, decision: Decision): Promise<RegistrationView>;
  reject(actor: string, id: string, decision: Decision): Promise<RegistrationView>;
}

export interface ReviewDeps extends RecompileDeps {
  readonly recompilations: Recompilations;
  readonly serve: (owner: Pick<Caller, 'tenantId'>) => Promise<void>;
}

export function createReviews(deps: ReviewDeps): Reviews {
  const store = createRegistrationStore(deps);
  const find = async (id: string): Promise<Versions> => {
    const versions = await runQuery(() => findVersions(deps.db, { id }));
    if (isWaiting(versions.current)) return versions;
    throw new GatewayError('not_found', 'This registration does not wait for approval any more.');
  };
  const decide = async (deciding: Promise<RegistrationRecord>): Promise<RegistrationView> => {
    const decided = await deciding;
    await deps.serve(decided);
    return toRegistrationView(decided);
  };
  return {
    list: async (page) => (await store.awaiting(page)).map(toSummary),
    get: async (id) => {
      const { latest } = await find(id);
      const { report } = await runQuery(() => copyVersion(deps.db, latest));
      return {
        ...toSummary(latest),
        origins: latest.origins,
        ownTexts: latest.descriptions,
        report: JSON.parse(report) as ApiReport,
      };
    },
    changes: async (id) => compare(deps, await find(id)),
    document: async (id) => readDocument(deps.db, (await find(id)).latest.documentId),
    approve: (actor, id, { revision }) =>
      decide(createRegistrationStore({ ...deps, actor }).approve(id, revision)),
    reject: (actor, id, decision) =>
      decide(createRegistrationStore({ ...deps, actor }).reject(id, decision)),
  };
}

const toSummary = (latest: RegistrationRecord): ReviewSummary => ({
  ...toRegistrationView(latest),
  tenant: latest.tenantSlug,
  kind: latest.status === 'awaiting_approval' ? 'new' : 'change',
  revision: latest.revision,
  source: sourceOf(latest.sourceUrl),
  tools: latest.tools.map(({ name }) => name),
});

/** One review at a time compares: the tenant's own refreshes need not wait for it. */
const REVIEW = 'review';

async function compare(deps: ReviewDeps, versions: Versions): Promise<ReviewChanges | null> {
  const { current, latest } = versions;
  if (current.pendingVersion === null) return null;
  const { sourceUrl, options, scheme, tenantId } = latest;
  const input = { document: null, sourceUrl, options, scheme };
  const { before, after } = await deps.recompilations.run(REVIEW, (limits) =>
    recompile(deps, versions, input, { ...limits, tenantId }),
  );
  return {
    changes: compareVersions(
      { version: current, traits: before?.traits ?? {} },
      { version: latest, traits: after.traits },
    ),
    origins: {
      before: before ? originsOf(before) : current.origins,
      after: originsOf(after),
    },
  };
}
