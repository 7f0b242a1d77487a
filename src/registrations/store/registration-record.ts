import type { Kysely, Selectable } from 'kysely';
import type {
  RegistrationsTable,
  RegistrationVersionsTable,
  Tables,
} from '../../platform/database/tables.ts';
import { registeredToolId } from '../../tools/catalog-entry.ts';
import type {
  AuthScheme,
  RegistrationOptions,
  Visibility,
} from '../request/registration-request.ts';
import type { NamedTool } from './names.ts';

/** The options that a version of a registration was compiled with. */
export type VersionOptions = Pick<RegistrationOptions, 'baseUrl' | 'include' | 'exclude'>;

/** What belongs to a version of a registration. Nothing of a stored version changes what its tools are. */
export interface RegistrationVersion {
  readonly documentId: string;
  /** The address of the description; null if its text was sent. */
  readonly sourceUrl: string | null;
  readonly options: VersionOptions;
  readonly baseUrl: string;
  /** The origins that get the credential. */
  readonly origins: readonly string[];
  readonly tools: readonly NamedTool[];
  /** Texts that a person wrote in place of the description's, by the tool's name by the description. Read it with `own`. */
  readonly descriptions: Readonly<Record<string, string>>;
}

/** A registered API with one of its versions: the current one, unless a method says otherwise. */
export interface RegistrationRecord extends RegistrationVersion {
  readonly id: string;
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly name: string;
  readonly slug: string;
  readonly visibility: Visibility;
  readonly status: 'registered' | 'awaiting_approval';
  readonly scheme: AuthScheme;
  readonly credentialVersion: number;
  readonly category: string | null;
  readonly description: string | null;
  /** Number of the version. */
  readonly version: number;
  /** The version that waits for the operator's approval while an earlier one is in use; null if none does. */
  readonly pendingVersion: number | null;
  /** Increases with every change of the registration. */
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Registrations, each with its current version, or with its latest one: the pending version if it has any. */
export const selectRegistrations = (db: Kysely<Tables>, which: 'current' | 'latest' = 'current') =>
  db
    .selectFrom('registrations')
    .innerJoin('tenants', 'tenants.id', 'registrations.tenant_id')
    .innerJoin('registration_versions', (join) =>
      join
        .onRef('registration_versions.registration_id', '=', 'registrations.id')
        .on(({ eb, ref, fn }) =>
          eb(
            'registration_versions.version',
            '=',
            which === 'current'
              ? ref('registrations.version')
              : fn.coalesce('registrations.pending_version', 'registrations.version'),
          ),
        ),
    )
    .selectAll('registrations')
    .select([
      'tenants.slug as tenant_slug',
      'registration_versions.version as selected_version',
      'registration_versions.document_id',
      'registration_versions.spec_url',
      'registration_versions.options',
      'registration_versions.base_url',
      'registration_versions.origins',
      'registration_versions.tools',
      'registration_versions.descriptions',
    ]);

type Row = Selectable<RegistrationsTable> &
  Omit<
    Selectable<RegistrationVersionsTable>,
    'registration_id' | 'version' | 'report' | 'compiled' | 'compiled_stamp' | 'created_at_ms'
  > & {
    readonly tenant_slug: string;
    readonly selected_version: number;
  };

export const toRegistration = (row: Row): RegistrationRecord => ({
  id: row.id,
  tenantId: row.tenant_id,
  tenantSlug: row.tenant_slug,
  name: row.name,
  slug: row.slug,
  visibility: row.visibility,
  status: row.status,
  scheme: JSON.parse(row.auth),
  credentialVersion: row.credential_version,
  category: row.category,
  description: row.description,
  version: row.selected_version,
  pendingVersion: row.pending_version,
  revision: row.revision,
  documentId: row.document_id,
  sourceUrl: row.spec_url,
  options: JSON.parse(row.options),
  baseUrl: row.base_url,
  origins: JSON.parse(row.origins),
  tools: JSON.parse(row.tools),
  descriptions: JSON.parse(row.descriptions),
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
});

/** The ids of a registration's tools (docs/contract.md#identifiers). */
export const toolIdsOf = (record: RegistrationRecord): readonly string[] =>
  record.tools.map(({ name }) => registeredToolId(record, name));
