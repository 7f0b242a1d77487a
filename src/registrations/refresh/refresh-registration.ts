import { isDeepStrictEqual } from 'node:util';
import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { withinLimits } from '../jobs/within-limits.ts';
import { refuseRefresh } from '../request/decode-registration.ts';
import type { DescriptionSource, RefreshRequest } from '../request/registration-request.ts';
import { approveOrigins } from '../steps/origins.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { hasChanges, type VersionChanges } from '../store/compare-versions.ts';
import {
  findRegistration,
  type RegistrationKey,
  type RegistrationRecord,
} from '../store/registration-record.ts';
import { runChange } from '../store/run-change.ts';
import type { StoreDeps } from '../store/store-deps.ts';
import {
  isSameVersion,
  type NewVersion,
  replaceDocument,
  replaceVersion,
} from '../store/versions.ts';
import {
  assertUnchanged,
  proposeVersion,
  type RecompileDeps,
  type Recompiled,
  recompile,
} from './recompile.ts';

export type RefreshOutcome = 'unchanged' | 'updated' | 'checked' | 'confirmation_required';

/** What a refresh came to (docs/contract.md#registration). */
export type Refreshed = Readonly<Awaited<ReturnType<typeof refreshRegistration>>>;

/**
 * Takes a description again, compares it with the one in use, and stores it. Rejects with the error of the fetch or of the
 * compilation, with `conflict` if the registration was changed meanwhile, or has other origins than were confirmed, and with
 * `not_found` if it was deleted; nothing is stored then.
 */
export async function refreshRegistration(
  deps: RecompileDeps,
  key: RegistrationKey,
  { source, isDryRun, confirmedOrigins }: RefreshRequest,
  limits: StepLimits,
) {
  const seen = await runQuery(() => findRegistration(deps.db, key));
  const recompiled = await takeDescription(deps, seen, source, limits);
  const { after, origins } = recompiled;
  const approved = approveOrigins(seen, after.baseUrl, origins, confirmedOrigins);
  if (!approved && !isDryRun && confirmedOrigins.length > 0) throw otherOrigins();
  const propose = async (inside: RecompileDeps, current: RegistrationRecord) => {
    const next = await proposeVersion(inside, current, recompiled, approved ?? []);
    return { next, changes: recompiled.compare(current, next) };
  };
  const resultOf = (outcome: RefreshOutcome, changes: VersionChanges, registration = seen) => ({
    outcome,
    changes,
    origins,
    report: after.report,
    /** After the refresh. */
    registration,
  });
  if (isDryRun || !approved) {
    const { changes } = await runQuery(() => propose(deps, seen));
    return resultOf(isDryRun ? 'checked' : 'confirmation_required', changes);
  }
  let stored: { outcome: RefreshOutcome; changes: VersionChanges } | undefined;
  const registration = await runChange(deps, key, async (inside, current) => {
    assertUnchanged(seen, current);
    const { next, changes } = await propose(inside, current);
    const { outcome, isStored } = await store(inside, current, next, changes);
    stored = { outcome, changes };
    const { added, removed, changed } = changes;
    const counts = { added: added.length, removed: removed.length, changed: changed.length };
    const details = { name: current.name, outcome, ...counts };
    return isStored ? { action: 'registration.refreshed', details } : undefined;
  });
  if (!stored) throw new Error('The change did not run.');
  return resultOf(stored.outcome, stored.changes, registration);
}

const otherOrigins = (): GatewayError =>
  new GatewayError(
    'conflict',
    'The description has other origins than confirm_origins names. Refresh again without confirm_origins, and check them.',
  );

/** Takes the description from where the request or the registration says, and compiles it. */
async function takeDescription(
  deps: RecompileDeps,
  current: RegistrationRecord,
  given: DescriptionSource,
  limits: StepLimits,
): Promise<Recompiled> {
  const { options, scheme } = current;
  const descriptionUrl = given.descriptionUrl ?? (given.document ? null : current.descriptionUrl);
  if (descriptionUrl === null && !given.document) throw refuseRefresh([NO_ADDRESS]);
  const document =
    descriptionUrl === null
      ? given.document
      : await withinLimits(limits, () => deps.steps.findDocument(descriptionUrl, limits));
  return recompile(deps, current, { document, descriptionUrl, options, scheme }, limits);
}

const NO_ADDRESS = {
  path: '/spec_url',
  message: 'is required, or `spec_raw`: the description of this API was not taken from an address.',
};

/** Stores a version, and says what became of it and whether it differs from the one in use in anything but the document. */
async function store(
  { db }: StoreDeps,
  current: RegistrationRecord,
  next: NewVersion,
  changes: VersionChanges,
): Promise<{ readonly outcome: RefreshOutcome; readonly isStored: boolean }> {
  const differs = hasChanges(changes);
  if (!differs && isSameVersion({ ...next, documentId: current.documentId }, current)) {
    await replaceDocument(db, current, next);
    return { outcome: 'unchanged', isStored: false };
  }
  await replaceVersion(db, current, next);
  const isEffective =
    differs ||
    next.baseUrl !== current.baseUrl ||
    !isDeepStrictEqual(next.origins, current.origins);
  return { outcome: isEffective ? 'updated' : 'unchanged', isStored: true };
}
