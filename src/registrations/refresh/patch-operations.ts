import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationPatch } from '../request/registration-request.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { applyPatch } from '../store/apply-patch.ts';
import {
  findRegistration,
  type RegistrationKey,
  type RegistrationRecord,
} from '../store/registration-record.ts';
import { runChange } from '../store/run-change.ts';
import { assertUnchanged, proposeVersion, type RecompileDeps, recompile } from './recompile.ts';

/**
 * Applies a patch that selects other operations, or chooses other extensions: compiles the stored description again. Rejects with `conflict` if the
 * registration was changed meanwhile, and with `unprocessable` if no operation is left.
 */
export async function patchOperations(
  deps: RecompileDeps,
  key: RegistrationKey,
  patch: RegistrationPatch,
  limits: StepLimits,
): Promise<RegistrationRecord> {
  const seen = await runQuery(() => findRegistration(deps.db, key));
  const { descriptionUrl, options: before, scheme: stored, origins: approved } = seen;
  const { include = before.include, exclude = before.exclude } = patch;
  const { extensions = before.extensions ?? [] } = patch;
  const { baseUrl } = before;
  const options = { baseUrl, include, exclude, ...(extensions.length > 0 && { extensions }) };
  const scheme = patch.authentication?.scheme ?? stored;
  const input = { document: null, descriptionUrl, options, scheme };
  const recompiled = await recompile(deps, seen, input, limits);
  const { baseUrl: base } = recompiled.after;
  const origins = scheme.type === 'none' ? [new URL(base).origin] : approved;
  return runChange(deps, key, async (inside, current) => {
    assertUnchanged(seen, current);
    const next = await proposeVersion(inside, current, recompiled, origins);
    return applyPatch(inside, current, patch, next);
  });
}
