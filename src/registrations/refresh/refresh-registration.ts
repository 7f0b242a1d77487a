import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { withinLimits } from '../jobs/within-limits.ts';
import { type RefreshRequest, refuseRefresh } from '../request/decode-refresh.ts';
import { approveOrigins, type OriginChange, originsOf } from '../steps/origins.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import type { ChangeEntry } from '../store/append-entry.ts';
import { isShared } from '../store/approval.ts';
import { hasChanges, type VersionChanges } from '../store/compare-versions.ts';
import { findVersions, type RegistrationKey, type Versions } from '../store/find-registration.ts';
import { isSameVersion, placeVersion, replaceDocument } from '../store/place-version.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';
import { runChange } from '../store/run-change.ts';
import { type Proposal, proposeVersion } from './propose-version.ts';
import { assertUnchanged, type RecompileDeps, type Recompiled, recompile } from './recompile.ts';

export type RefreshOutcome =
  | 'unchanged'
  | 'updated'
  | 'checked'
  | 'confirmation_required'
  | 'awaiting_approval';

/** What a refresh came to (docs/contract.md#registration). */
export interface Refreshed {
  readonly outcome: RefreshOutcome;
  readonly changes: VersionChanges;
  readonly origins: OriginChange;
  readonly report: JsonObject;
  /** After the refresh. */
  readonly registration: RegistrationRecord;
}

/**
 * Takes a description again, compares it with the one in use, and stores it. What differs for other tenants waits for the
 * operator's approval. Rejects with the error of the fetch or of the compilation, with `conflict` if the registration was
 * changed meanwhile, or has other origins than were confirmed, and with `not_found` if it was deleted; nothing is stored then.
 */
export async function refreshRegistration(
  deps: RecompileDeps,
  key: RegistrationKey,
  request: RefreshRequest,
  limits: StepLimits,
): Promise<Refreshed> {
  const seen = await runQuery(() => findVersions(deps.db, key));
  const { current } = seen;
  const recompiled = await takeDescription(deps, seen, request, limits);
  const { before, after } = recompiled;
  const origins = { before: before ? originsOf(before) : current.origins, after: originsOf(after) };
  const approved = approveOrigins(current, after.baseUrl, origins, request.confirmedOrigins);
  const propose = (db: Kysely<Tables>, versions: Versions): Promise<Proposal> =>
    proposeVersion({ ...deps, db }, versions, recompiled, approved ?? []);
  const common = { origins, report: after.report };
  if (!approved && !request.isDryRun && request.confirmedOrigins.length > 0) throw otherOrigins();
  if (request.isDryRun || !approved) {
    const { changes } = await runQuery(() => propose(deps.db, seen));
    const outcome = request.isDryRun ? 'checked' : 'confirmation_required';
    return { outcome, changes, ...common, registration: current };
  }
  let stored: Stored | undefined;
  const registration = await runChange(deps, key, async (transaction, versions) => {
    assertUnchanged(seen, versions);
    stored = await store(deps, transaction, versions, await propose(transaction, versions));
    return stored.entry;
  });
  if (!stored) throw new Error('The change did not run.');
  return { outcome: stored.outcome, changes: stored.changes, ...common, registration };
}

const otherOrigins = (): GatewayError =>
  new GatewayError(
    'conflict',
    'The description has other origins than those of confirm_origins. Refresh again without confirm_origins, and check them.',
  );

/** Takes the description from where the request or the registration says, and compiles it. */
async function takeDescription(
  deps: RecompileDeps,
  versions: Versions,
  { source }: RefreshRequest,
  limits: StepLimits,
): Promise<Recompiled> {
  const { options, sourceUrl, scheme } = versions.latest;
  const place = source ?? (sourceUrl === null ? null : { url: sourceUrl });
  if (!place) throw refuseRefresh([NO_ADDRESS]);
  const document =
    'url' in place
      ? await withinLimits(limits, () => deps.steps.fetchDocument(place.url, limits))
      : place.document;
  const url = 'url' in place ? place.url : null;
  return recompile(deps, versions, { document, sourceUrl: url, options, scheme }, limits);
}

const NO_ADDRESS = {
  path: '/spec_url',
  message: 'is required, or `spec_raw`: the description of this API was not taken from an address.',
};

interface Stored {
  readonly outcome: RefreshOutcome;
  readonly changes: VersionChanges;
  /** Undefined if nothing was stored. */
  readonly entry: ChangeEntry | undefined;
}

async function store(
  deps: RecompileDeps,
  transaction: Kysely<Tables>,
  versions: Versions,
  { next, changes }: Proposal,
): Promise<Stored> {
  const { current } = versions;
  const isPending = isShared(current) && hasChanges(changes);
  const isAsBefore =
    !hasChanges(changes) && isSameVersion({ ...next, documentId: current.documentId }, current);
  const isStored = isAsBefore
    ? await replaceDocument(transaction, current, next)
    : await placeVersion(deps, transaction, versions, { next, isPending });
  const isEffective =
    hasChanges(changes) ||
    next.baseUrl !== current.baseUrl ||
    !isDeepStrictEqual(next.origins, current.origins);
  const effect = isPending ? 'awaiting_approval' : 'updated';
  const outcome = isEffective ? effect : 'unchanged';
  const { added, removed, changed } = changes;
  const counts = { added: added.length, removed: removed.length, changed: changed.length };
  const details = { name: current.name, outcome, ...counts };
  const entry = { action: 'registration.refreshed', details } as const;
  return { outcome, changes, entry: isStored ? entry : undefined };
}
