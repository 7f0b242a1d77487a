import type { InferResult, Kysely } from 'kysely';
import type { KeyDestination } from '../../access/provider-keys/provider-keys.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { registeredToolId } from '../../tools/catalog-entry.ts';
import type { About } from '../request/registration-input.ts';
import type { AuthScheme, VersionOptions } from '../request/registration-request.ts';
import type { NamedTool } from './names.ts';

/** A registered API. */
export type RegistrationRecord = Readonly<ReturnType<typeof toRegistration>>;

/** What a refresh replaces, and a change of the operations or the texts. */
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

/** Registrations without their reports and their compiled tools, which are large. */
export const selectRegistrations = (db: Kysely<Tables>) =>
  db
    .selectFrom('registrations')
    .innerJoin('tenants', 'tenants.id', 'registrations.tenant_id')
    .select(['tenants.slug as tenant_slug', 'registrations.id', 'tenant_id', 'registrations.name'])
    .select(['registrations.slug', 'auth', 'credential_version', 'about'])
    .select(['revision', 'document_id', 'spec_url', 'options', 'base_url', 'origins', 'tools'])
    .select(['descriptions', 'registrations.created_at_ms', 'updated_at_ms']);

type Row = InferResult<ReturnType<typeof selectRegistrations>>[number];

export const toRegistration = (row: Row) => ({
  id: row.id,
  tenantId: row.tenant_id,
  tenantSlug: row.tenant_slug,
  name: row.name,
  slug: row.slug,
  scheme: JSON.parse(row.auth) as AuthScheme,
  credentialVersion: row.credential_version,
  about: JSON.parse(row.about) as About,
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

/** A registration; of any tenant if none is given. */
export interface RegistrationKey {
  readonly id: string;
  readonly tenantId?: string | undefined;
  /** The revision that the person who changes it has seen; another one is a conflict. */
  readonly revision?: number | undefined;
}

/** Rejects with `not_found`, or with `conflict` for another revision than the key's. */
export async function findRegistration(
  db: Kysely<Tables>,
  { id, tenantId, revision }: RegistrationKey,
): Promise<RegistrationRecord> {
  const row = await selectRegistrations(db)
    .where('registrations.id', '=', id)
    .$if(tenantId !== undefined, (query) => query.where('tenant_id', '=', tenantId ?? ''))
    .executeTakeFirst();
  if (!row) throw new GatewayError('not_found', 'There is no registration with this id.');
  if (revision === undefined || revision === row.revision) return toRegistration(row);
  throw new GatewayError(
    'conflict',
    'The registration was changed since you opened it. Reload it, and make your change again.',
  );
}

/** Where all registered APIs of a tenant send its provider keys, if they may. Rejects with `unavailable` while the database is away. */
export async function readKeyOrigins(
  db: Kysely<Tables>,
  tenantId: string,
): Promise<readonly KeyDestination[]> {
  const own = db
    .selectFrom('registrations')
    .select(['auth', 'origins'])
    .where('tenant_id', '=', tenantId);
  const rows = await runQuery(() => own.execute());
  return rows.flatMap(({ auth, origins }) => {
    const scheme: AuthScheme = JSON.parse(auth);
    if (scheme.type !== 'provider_key') return [];
    return (JSON.parse(origins) as string[]).map((origin) => ({ name: scheme.name, origin }));
  });
}
