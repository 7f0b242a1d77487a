import { runQuery } from '../platform/database/database-error.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import type { Recompilations } from './refresh/recompilations.ts';
import { type RecompileDeps, recompile } from './refresh/recompile.ts';
import { toOwnedView, toReviewSummary } from './registration-views.ts';
import { readDocument } from './store/documents.ts';
import {
  findVersions,
  isWaiting,
  type RegistrationRecord,
  type Versions,
} from './store/registration-record.ts';
import { createRegistrationStore, type RegistrationPage } from './store/registration-store.ts';
import { copyVersion } from './store/versions.ts';

export interface Decision {
  readonly revision: number;
  readonly reason?: string | undefined;
}

export interface ReviewDeps extends RecompileDeps {
  readonly recompilations: Recompilations;
  readonly serve: (tenantId: string) => Promise<void>;
}

/** What waits for the operator, of all tenants. What does not wait is `not_found`. */
export function createReviews(deps: ReviewDeps) {
  const find = async (id: string): Promise<Versions> => {
    const versions = await runQuery(() => findVersions(deps.db, { id }));
    if (isWaiting(versions.current)) return versions;
    throw new GatewayError('not_found', 'This registration does not wait for approval any more.');
  };
  const storeOf = (actor: string) => createRegistrationStore({ ...deps, actor });
  const decide = async (deciding: Promise<RegistrationRecord>) => {
    const decided = await deciding;
    await deps.serve(decided.tenantId);
    return toOwnedView(decided);
  };
  return {
    list: async (page: RegistrationPage) =>
      (await createRegistrationStore(deps).awaiting(page)).map(toReviewSummary),
    get: async (id: string) => {
      const { latest } = await find(id);
      const { report } = await runQuery(() => copyVersion(deps.db, latest));
      return {
        ...toReviewSummary(latest),
        origins: latest.origins,
        /** Texts that the tenant wrote, by the name of the tool. */
        ownTexts: latest.descriptions,
        report: JSON.parse(report) as ApiReport,
      };
    },
    /**
     * How what waits differs from what is in use. Null for a new API: all of it is new. Rejects with the error of the
     * compilation, or `rate_limited`.
     */
    changes: async (id: string) => compare(deps, await find(id)),
    /** The description as it is stored: its address may serve another one to the operator. */
    document: async (id: string) => readDocument(deps.db, (await find(id)).latest.documentId),
    /** Rejects with `conflict` if the registration was changed since. */
    approve: (actor: string, id: string, { revision }: Decision) =>
      decide(storeOf(actor).approve(id, revision)),
    reject: (actor: string, id: string, decision: Decision) =>
      decide(storeOf(actor).reject(id, decision)),
  };
}

/** One review at a time compares: the tenant's own refreshes need not wait for it. */
const REVIEW = 'review';

async function compare(deps: ReviewDeps, versions: Versions) {
  const { current, latest } = versions;
  if (current.pendingVersion === null) return null;
  const { descriptionUrl, options, scheme, tenantId } = latest;
  const input = { document: null, descriptionUrl, options, scheme };
  const { compare, origins } = await deps.recompilations.run(REVIEW, (limits) =>
    recompile(deps, versions, input, { ...limits, tenantId }),
  );
  return { changes: compare(current, latest), origins };
}
