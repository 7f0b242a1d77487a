import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationPatch } from '../request/decode-patch.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { applyPatch } from '../store/apply-patch.ts';
import { findVersions, type RegistrationKey } from '../store/find-registration.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';
import { runChange } from '../store/run-change.ts';
import { proposeVersion, traitsBefore } from './propose-version.ts';
import { assertUnchanged, type RecompileDeps, recompile } from './recompile.ts';

/**
 * Applies a patch that selects other operations: compiles the stored description again. Rejects with `conflict` if the
 * registration was changed meanwhile, and with `unprocessable` if no operation is left.
 */
export async function patchOperations(
  deps: RecompileDeps,
  key: RegistrationKey,
  patch: RegistrationPatch,
  limits: StepLimits,
): Promise<RegistrationRecord> {
  const seen = await runQuery(() => findVersions(deps.db, key));
  const { latest } = seen;
  const { include = latest.options.include, exclude = latest.options.exclude } = patch;
  const options = { ...latest.options, include, exclude };
  const scheme = patch.authentication?.scheme ?? latest.scheme;
  const input = { document: null, sourceUrl: latest.sourceUrl, options, scheme };
  const recompiled = await recompile(deps, seen, input, limits);
  const { after } = recompiled;
  const origins = scheme.type === 'none' ? [new URL(after.baseUrl).origin] : latest.origins;
  return runChange(deps, key, async (transaction, versions) => {
    assertUnchanged(seen, versions);
    const inTransaction = { ...deps, db: transaction };
    const { next } = await proposeVersion(inTransaction, versions, recompiled, origins);
    const compiled = { next, before: traitsBefore(recompiled), after: after.traits };
    return applyPatch(deps, transaction, versions, { patch, compiled });
  });
}
