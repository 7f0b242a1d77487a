import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { MAX_REGISTRATIONS, MAX_WAITING_JOBS } from './registration-bounds.ts';

const BUSY_SECONDS = 10;

/** Throws at the tenant's bounds. */
export async function assertRoom(db: Kysely<Tables>, tenantId: string): Promise<void> {
  const { waiting } = await db
    .selectFrom('registration_jobs')
    .select((eb) => eb.fn.countAll().as('waiting'))
    .where('tenant_id', '=', tenantId)
    .where('alive_at_ms', 'is not', null)
    .executeTakeFirstOrThrow();
  if (Number(waiting) >= MAX_WAITING_JOBS) {
    throw new GatewayError(
      'rate_limited',
      `${MAX_WAITING_JOBS} registration jobs are waiting. Retry when one of them has ended.`,
      { details: { retryAfterSeconds: BUSY_SECONDS } },
    );
  }
  const { registered } = await db
    .selectFrom('registrations')
    .select((eb) => eb.fn.countAll().as('registered'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(registered) >= MAX_REGISTRATIONS) throw tooManyRegistrations();
}

export const tooManyRegistrations = (): GatewayError =>
  new GatewayError(
    'unprocessable',
    `A tenant may register ${MAX_REGISTRATIONS} APIs. Delete one of them first.`,
  );

/** Throws `conflict` for a name that a registration has, or a job that has not ended. */
export async function assertFree(
  db: Kysely<Tables>,
  tenantId: string,
  nameKey: string,
): Promise<void> {
  await assertNameFree(db, tenantId, nameKey);
  const running = await db
    .selectFrom('registration_jobs')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('name_key', '=', nameKey)
    .where('alive_at_ms', 'is not', null)
    .where('is_dry_run', '=', 0)
    .executeTakeFirst();
  if (!running) return;
  throw new GatewayError('conflict', `An API named "${running.name}" is being registered.`, {
    details: { location: `/api/v1/register/${running.id}/status` },
  });
}

/** Throws `conflict` for a name that a registration has, other than one. */
export async function assertNameFree(
  db: Kysely<Tables>,
  tenantId: string,
  nameKey: string,
  except = '',
): Promise<void> {
  const same = await db
    .selectFrom('registrations')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('name_key', '=', nameKey)
    .where('id', '!=', except)
    .executeTakeFirst();
  if (!same) return;
  throw new GatewayError(
    'conflict',
    `An API named "${same.name}" is registered. Choose another name, or delete that API first.`,
    { details: { location: `/api/v1/registrations/${same.id}` } },
  );
}
