import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { changePeople, type PeopleDeps } from './change-people.ts';
import { findCredentials } from './find-person.ts';
import type { Identity } from './person.ts';
import { assertPassword, normalName } from './person-fields.ts';
import { deleteSessions } from './person-sessions.ts';
import type { SignInDeps } from './sign-in.ts';
import { writePassword } from './write-person.ts';

export interface PasswordChange {
  readonly currentPassword: Secret;
  readonly newPassword: Secret;
  readonly clientIp: string;
}

/**
 * Changes the password of a person, and ends its other sessions. Rejects with `forbidden` if the current one is wrong (which
 * counts like a failed sign-in), and with `invalid_arguments` if the new one is too short or too long.
 */
export async function changePassword(
  deps: SignInDeps,
  { person, sessionId }: Identity,
  { currentPassword, newPassword, clientIp }: PasswordChange,
): Promise<void> {
  assertPassword(newPassword);
  const attempt = { email: person.email, clientIp, personIds: [person.id] };
  const current = await deps.hasher.inTurn(async (verify) => {
    await deps.limits.admit(attempt);
    const found = await runQuery(() => findCredentials(deps.db, person.email));
    const own = found.filter(({ personId }) => personId === person.id);
    const verified = await verify(currentPassword, own);
    if (verified) return verified;
    await deps.limits.recordFailure(attempt);
    throw new GatewayError('forbidden', 'The current password is wrong.');
  });
  const hash = await deps.hasher.hash(newPassword, current.isProved ? null : current.hash);
  await changePeople(deps, async (change) => {
    await writePassword(change, person.id, hash);
    const ended = await deleteSessions(change.db, person.id, sessionId);
    await change.append({
      tenantId: null,
      actor: person.id,
      action: 'person.password_changed',
      subjectId: person.id,
      details: { ended },
    });
  });
}

/** Changes the name of a person. Rejects with `invalid_arguments` for an empty or long one. */
export async function rename(deps: PeopleDeps, { person }: Identity, text: string): Promise<void> {
  const name = normalName(text);
  return changePeople(deps, async ({ db, nowMs, append }) => {
    await db
      .updateTable('people_users')
      .set({ name, updated_at: new Date(nowMs).toISOString() })
      .where('id', '=', person.id)
      .execute();
    await append({
      tenantId: null,
      actor: person.id,
      action: 'person.renamed',
      subjectId: person.id,
      details: { name },
    });
  });
}
