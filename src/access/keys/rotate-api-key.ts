import { GatewayError } from '../../platform/kernel/error.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { appendAdminEntry } from '../trail/admin-trail.ts';
import {
  type ApiKeyStoreDeps,
  entryOf,
  type KeyTarget,
  requireUsable,
  updateKey,
} from './api-key-change.ts';
import type { ApiKeyRecord } from './api-key-record.ts';
import { insertRow, rowOf } from './insert-api-key.ts';
import { raiseVersion } from './key-version.ts';
import { makeRoom } from './make-room.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
export const DEFAULT_OVERLAP_MS = DAY_MS;
export const MAX_OVERLAP_MS = 7 * DAY_MS;

export interface Rotation {
  /** The key with a new text. */
  readonly record: ApiKeyRecord;
  /** This is the only time that it is available. */
  readonly text: Secret;
  /** The key that it replaces, which ends after the overlap. */
  readonly replaced: ApiKeyRecord;
}

/**
 * Creates a key with the same name, limits, tools and lifetime as another one, which ends after `overlapMs`, or at its own
 * expiry if that is earlier. Rejects with `not_found`, and with `conflict` if it is revoked or was replaced before.
 */
export function rotateKey(
  deps: ApiKeyStoreDeps,
  target: KeyTarget,
  overlapMs = DEFAULT_OVERLAP_MS,
): Promise<Rotation> {
  assertOverlap(overlapMs);
  const text = new Secret(newApiKeyText());
  return deps.db.transaction().execute(async (transaction) => {
    const version = await raiseVersion(transaction);
    const old = await requireUsable(transaction, target);
    if (old.rotatedTo !== null) {
      throw new GatewayError('conflict', `The key ${old.rotatedTo} replaces this one already.`);
    }
    const nowMs = deps.clock.now();
    await makeRoom(transaction, old.tenantId, nowMs);
    const record = await insertRow(deps, transaction, {
      ...rowOf(deps, { ...old, expiresAtMs: sameLifetime(old, nowMs) }, text),
      rotated_from: old.id,
      created_version: version,
    });
    const replaced = await updateKey(transaction, old, {
      ...endAfter(old, nowMs, overlapMs),
      rotated_to: record.id,
      version,
    });
    const details = { rotatedTo: record.id, expiresAtMs: replaced.expiresAtMs };
    await appendAdminEntry(transaction, entryOf(deps, replaced, 'key.rotated', details));
    return { record, text, replaced };
  });
}

function assertOverlap(overlapMs: number): void {
  if (Number.isSafeInteger(overlapMs) && overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS) return;
  throw new GatewayError(
    'invalid_arguments',
    'After a rotation, the old API key works for 0 to 7 days.',
  );
}

const sameLifetime = ({ createdAtMs, expiresAtMs }: ApiKeyRecord, nowMs: number): number | null =>
  expiresAtMs === null ? null : nowMs + Math.max(DAY_MS, expiresAtMs - createdAtMs);

function endAfter({ expiresAtMs }: ApiKeyRecord, nowMs: number, overlapMs: number) {
  if (overlapMs === 0) return { revoked_at_ms: nowMs };
  return { expires_at_ms: Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs) };
}
