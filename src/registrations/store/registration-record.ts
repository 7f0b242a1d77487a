import type { InferResult, Kysely } from 'kysely';
import type { KeyDestination } from '../../access/provider-keys/provider-keys.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { registeredToolId } from '../../tools/catalog-entry.ts';
import type { AuthScheme, VersionOptions } from '../request/registration-request.ts';
import type { NamedTool } from './names.ts';

/** A registered API with one of its versions: the current one, unless a method says otherwise. */
export type RegistrationRecord = Readonly<ReturnType<typeof toRegistration>>;

/** What belongs to a version of a registration. Nothing of a stored version changes what its tools are. */
export const VERSION_PARTS = [
  'documentId',
  'descriptionUrl',
  'options',
  'baseUrl',
  'origins',
  'tools',
  'descriptions',
] as const;

export type RegistrationVersion = Pick<RegistrationRecord, (typeof VERSION_PARTS)[number]>;

/** Registrations, each with its current version, or with its latest one: the pending version if it has any. */
export const selectRegistrations = (db: Kysely<Tables>, which: 'current' | 'latest' = 'current') =>
  db
    .selectFrom('registrations')
    .innerJoin('tenants', 'tenants.id', 'registrations.tenant_id')
    .innerJoin('registration_versions as chosen', (join) =>
      join
        .onRef('chosen.registration_id', '=', 'registrations.id')
        .on(({ eb, ref, fn }) =>
          eb(
            'chosen.version',
            '=',
            which === 'current'
              ? ref('registrations.version')
              : fn.coalesce('registrations.pending_version', 'registrations.version'),
          ),
        ),
    )
    .selectAll('registrations')
    .select(['tenants.slug as tenant_slug', 'chosen.version as selected_version'])
    .select(['chosen.document_id', 'chosen.spec_url', 'chosen.options', 'chosen.base_url'])
    .select(['chosen.origins', 'chosen.tools', 'chosen.descriptions']);

type Row = InferResult<ReturnType<typeof selectRegistrations>>[number];

export const toRegistration = (row: Row) => ({
  id: row.id,
  tenantId: row.tenant_id,
  tenantSlug: row.tenant_slug,
  name: row.name,
  slug: row.slug,
  visibility: row.visibility,
  status: row.status,
  scheme: JSON.parse(row.auth) as AuthScheme,
  credentialVersion: row.credential_version,
  category: row.category,
  description: row.description,
  /** Number of the version. */
  version: row.selected_version,
  /** The version that waits for the operator's approval while an earlier one is in use; null if none does. */
  pendingVersion: row.pending_version,
  /** Increases with every change of the registration. */
  revision: row.revision,
  documentId: row.document_id,
  /** The address of the description; null if its text was sent. */
  descriptionUrl: row.spec_url,
  options: JSON.parse(row.options) as VersionOptions,
  baseUrl: row.base_url,
  /** The origins that get the credential. */
  origins: JSON.parse(row.origins) as readonly string[],
  tools: JSON.parse(row.tools) as readonly NamedTool[],
  /** Texts that a person wrote in place of the description's, by the tool's name by the description. Read it with `own`. */
  descriptions: JSON.parse(row.descriptions) as Readonly<Record<string, string>>,
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
});

/** The ids of a registration's tools (docs/contract.md#identifiers). */
export const toolIdsOf = (record: RegistrationRecord): readonly string[] =>
  record.tools.map(({ name }) => registeredToolId(record, name));

/** Whether it waits for the operator: as a whole, or with a new version. */
export const isWaiting = ({ status, pendingVersion }: RegistrationRecord): boolean =>
  status === 'awaiting_approval' || pendingVersion !== null;

/** A registration; of any tenant if none is given. */
export interface RegistrationKey {
  readonly id: string;
  readonly tenantId?: string | undefined;
  /** The revision that the person who changes it has seen; another one is a conflict. */
  readonly revision?: number | undefined;
}

/** A registration with its current version, and with its latest one: the same unless one waits for approval. */
export interface Versions {
  readonly current: RegistrationRecord;
  readonly latest: RegistrationRecord;
}

/** The registration with its current version. Rejects with `not_found`. */
export async function findRegistration(
  db: Kysely<Tables>,
  key: RegistrationKey,
): Promise<RegistrationRecord> {
  const record = await select(db, key, 'current');
  if (record) return record;
  throw new GatewayError('not_found', 'There is no registration with this id.');
}

/**
 * Rejects with `not_found`, or with `conflict` for another revision than the key's. Outside a transaction, the two may be of
 * different revisions.
 */
export async function findVersions(db: Kysely<Tables>, key: RegistrationKey): Promise<Versions> {
  const current = await findRegistration(db, key);
  if (key.revision !== undefined && key.revision !== current.revision) {
    throw new GatewayError(
      'conflict',
      'The registration was changed since you opened it. Reload it, and make your change again.',
    );
  }
  if (current.pendingVersion === null) return { current, latest: current };
  return { current, latest: (await select(db, key, 'latest')) ?? current };
}

async function select(
  db: Kysely<Tables>,
  { id, tenantId }: RegistrationKey,
  which: 'current' | 'latest',
): Promise<RegistrationRecord | undefined> {
  const row = await selectRegistrations(db, which)
    .where('registrations.id', '=', id)
    .$if(tenantId !== undefined, (query) =>
      query.where('registrations.tenant_id', '=', tenantId ?? ''),
    )
    .executeTakeFirst();
  return row && toRegistration(row);
}

/** Where all registered APIs of a tenant send its provider keys, if they may. Rejects with `unavailable` while the database is away. */
export async function readKeyOrigins(
  db: Kysely<Tables>,
  tenantId: string,
): Promise<readonly KeyDestination[]> {
  const own = db
    .selectFrom('registrations')
    .innerJoin('registration_versions as current', (join) =>
      join
        .onRef('current.registration_id', '=', 'registrations.id')
        .onRef('current.version', '=', 'registrations.version'),
    )
    .select(['registrations.auth', 'current.origins'])
    .where('registrations.tenant_id', '=', tenantId);
  const rows = await runQuery(() => own.execute());
  return rows.flatMap(({ auth, origins }) => {
    const scheme: AuthScheme = JSON.parse(auth);
    if (scheme.type !== 'provider_key') return [];
    return (JSON.parse(origins) as string[]).map((origin) => ({ name: scheme.name, origin }));
  });
}
