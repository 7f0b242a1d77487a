import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

interface Migration {
  up(db: Kysely<Tables>): Promise<void>;
}

/**
 * Migrations by name. Each runs once, in the order of the names. An older version of the gateway must be able to start
 * beside its tables: a migration that does more than add ends in `-incompatible`.
 */
export type Migrations = Readonly<Record<string, Migration>>;

/** Statements that SQLite and PostgreSQL both understand. SQLite adds one column in a statement. */
const statements = (...texts: readonly string[]): Migration => ({
  up: async (db) => {
    for (const text of texts) await sql.raw(text).execute(db);
  },
});

/** The columns of a table of better-auth 1.7 that say when a row was made and changed. */
const TIMES = `
      created_at timestamptz default current_timestamp not null,
      updated_at timestamptz default current_timestamp not null`;

/** The tables of `gateway.db`. */
export const GATEWAY_MIGRATIONS: Migrations = {
  '0001-tenants': statements(`
    create table tenants (
      id text primary key,
      slug text not null unique,
      name text not null,
      created_at_ms bigint not null
    )`),

  '0002-api-keys': statements(
    `create table api_keys (
      id text primary key,
      tenant_id text not null references tenants (id),
      name text not null,
      prefix text not null,
      hash text not null unique,
      allowed_tools text,
      created_at_ms bigint not null,
      expires_at_ms bigint,
      revoked_at_ms bigint,
      revoked_version bigint
    )`,
    'create index api_keys_tenant on api_keys (tenant_id, id)',
    'create index api_keys_revoked on api_keys (revoked_version)',
    'create table changes (topic text primary key, version bigint not null)',
    "insert into changes (topic, version) values ('api_keys', 0)",
  ),

  // Running gateways notice every change to a key, not only its revocation.
  '0004-changed-keys': statements(
    'alter table api_keys rename column revoked_version to changed_version',
  ),

  // The administrative trail. Running gateways also notice new keys in the same way as changed ones.
  '0005-admin-events': statements(
    `create table admin_events (
      id text primary key,
      timestamp_ms bigint not null,
      tenant_id text,
      actor text not null,
      action text not null,
      subject_id text not null,
      details text not null
    )`,
    'create index admin_events_tenant on admin_events (tenant_id, id)',
    'alter table api_keys add column created_version bigint',
  ),

  // Credentials of tenants, encrypted.
  '0008-secrets': statements(
    `create table secrets (
      tenant_id text not null,
      subject_id text not null,
      field text not null,
      encrypted text not null,
      key_id text not null,
      updated_at_ms bigint not null,
      constraint secrets_owner primary key (tenant_id, subject_id, field)
    )`,
    'create index secrets_key on secrets (key_id)',
  ),

  // APIs that tenants registered.
  '0009-registrations': statements(
    `create table registrations (
      id text primary key,
      tenant_id text not null references tenants (id),
      name text not null,
      name_key text not null,
      slug text not null,
      visibility text not null,
      status text not null,
      base_url text not null,
      auth text not null,
      credential_version integer not null,
      category text,
      description text,
      version integer not null,
      tool_count integer not null,
      created_at_ms bigint not null,
      updated_at_ms bigint not null,
      constraint registrations_slug unique (tenant_id, slug),
      constraint registrations_name unique (tenant_id, name_key)
    )`,
    `create table registration_versions (
      registration_id text not null,
      version integer not null,
      document_id text not null,
      options text not null,
      tools text not null,
      report text not null,
      created_at_ms bigint not null,
      constraint registration_versions_key primary key (registration_id, version)
    )`,
    `create table registration_documents (
      id text primary key,
      tenant_id text not null,
      content bytea not null
    )`,
    'create table registration_layers (layer text primary key, changed_version bigint not null)',
    "insert into changes (topic, version) values ('registrations', 0)",
  ),

  // The queue of registration jobs. The columns that only running jobs have keep the index of the queue small.
  '0010-registration-jobs': statements(
    `create table registration_jobs (
      id text primary key,
      tenant_id text not null references tenants (id),
      api_key_id text not null,
      state text not null,
      attempt integer not null,
      due_at_ms bigint,
      place_ms bigint,
      deadline_at_ms bigint,
      name text not null,
      name_key text not null,
      is_dry_run integer not null,
      request text not null,
      document_id text,
      error text,
      report text,
      registration_id text,
      idempotency_key text,
      request_digest text,
      created_at_ms bigint not null,
      updated_at_ms bigint not null,
      constraint registration_jobs_idempotency unique (api_key_id, idempotency_key)
    )`,
    'create index registration_jobs_queue on registration_jobs (place_ms) where place_ms is not null',
    'create index registration_jobs_tenant on registration_jobs (tenant_id, id)',
    'create index registration_jobs_registration on registration_jobs (registration_id)',
  ),

  // A registration may have a version that waits for approval, so that what differs between versions belongs to them.
  '0011-registration-versions': {
    up: async (db) => {
      await ADD_VERSION_COLUMNS.up(db);
      await fillVersions(db);
      await db.schema.alterTable('registrations').dropColumn('base_url').execute();
    },
  },

  // People, their sessions, memberships and invitations. The columns of `people_*` are those that better-auth generates;
  // `is_operator` and what follows is the gateway's own. SQLite stores a `timestamptz` as the text that it is given.
  '0012-people': statements(
    `create table people_users (
      id text primary key,
      name text not null,
      email text not null unique,
      email_verified boolean not null,
      image text,
      is_operator integer default 0 not null,${TIMES}
    )`,
    `create table people_sessions (
      id text primary key,
      expires_at timestamptz not null,
      token text not null unique,
      ip_address text,
      user_agent text,
      user_id text not null references people_users (id) on delete cascade,${TIMES}
    )`,
    `create table people_accounts (
      id text primary key,
      account_id text not null,
      provider_id text not null,
      user_id text not null references people_users (id) on delete cascade,
      access_token text,
      refresh_token text,
      id_token text,
      access_token_expires_at timestamptz,
      refresh_token_expires_at timestamptz,
      scope text,
      password text,${TIMES}
    )`,
    'create index people_sessions_user_id_idx on people_sessions (user_id)',
    'create index people_accounts_user_id_idx on people_accounts (user_id)',
    `create table people_verifications (
      id text primary key,
      identifier text not null,
      value text not null,
      expires_at timestamptz not null,${TIMES}
    )`,
    'create index people_verifications_identifier_idx on people_verifications (identifier)',
    `create table memberships (
      person_id text not null references people_users (id) on delete cascade,
      tenant_id text not null references tenants (id),
      role text not null,
      created_at_ms bigint not null,
      constraint memberships_key primary key (person_id, tenant_id)
    )`,
    'create index memberships_tenant on memberships (tenant_id, person_id)',
    `create table invitations (
      id text primary key,
      token_hash text not null unique,
      tenant_id text not null references tenants (id),
      email text not null,
      role text not null,
      invited_by text not null,
      created_at_ms bigint not null,
      expires_at_ms bigint not null,
      constraint invitations_email unique (tenant_id, email)
    )`,
    'create index invitations_of_email on invitations (email)',
    'create table session_secrets (id integer primary key, secret text not null)',
    'create index admin_events_action on admin_events (action, id)',
    'create index admin_events_actor on admin_events (actor, id)',
    "insert into changes (topic, version) values ('people', 0)",
  ),

  // Keys get limits of their own, an owner, a description and a successor, and a count of today's requests.
  '0015-key-limits': statements(
    'alter table api_keys add column rate_limit_per_minute integer',
    'alter table api_keys add column daily_limit integer',
    'alter table api_keys add column owner text',
    'alter table api_keys add column description text',
    'alter table api_keys add column rotated_from text',
    'alter table api_keys add column rotated_to text',
    'alter table api_keys add column revision integer default 1 not null',
    `create table api_key_days (
      api_key_id text primary key,
      day integer not null,
      used bigint not null
    )`,
  ),

  // When each provider key last changed, and by whom. The value is in `secrets`, so that it is rotated with the others.
  '0016-provider-keys': statements(
    `create table provider_keys (
      name text primary key,
      changed_at_ms bigint not null,
      changed_by text not null
    )`,
    "insert into changes (topic, version) values ('provider_keys', 0)",
  ),

  // Keys may list only the tools that search for the others.
  '0018-key-mode': statements('alter table api_keys add column mode text'),

  // Compiled tools are stored with their version. Without them, as an older gateway leaves it, they are compiled again.
  '0020-compiled-tools': statements(
    'alter table registration_versions add column compiled bytea',
    'alter table registration_versions add column compiled_stamp text',
  ),

  // A job may ask its tenant to confirm where the credential goes.
  '0021-job-origins': statements('alter table registration_jobs add column origins text'),

  // Several people may claim an unproved address.
  '0022-claimed-addresses': statements(
    'alter table people_users add column claimed_email text',
    'create index people_users_claimed_email on people_users (claimed_email)',
  ),

  // Keys remember the limit that an operator gave them: one that a tenant's admin gave is capped. Which of the two gave an
  // earlier limit is certain only for a key that the command line created and that was not changed since.
  '0023-operator-rate-limit': statements(
    'alter table api_keys add column operator_rate_limit integer',
    `update api_keys set operator_rate_limit = rate_limit_per_minute
     where owner = 'cli' and revision = 1 and rotated_from is null`,
  ),

  // Keys may manage their tenant or the gateway.
  '0024-key-scope': statements('alter table api_keys add column scope text'),

  // Hosts that people connect: a grant is an API key without a text.
  '0027-grants': statements(
    'alter table api_keys add column kind text',
    'alter table api_keys add column client_id text',
    'alter table api_keys add column client_name text',
    'alter table api_keys add column client_document text',
    `create index api_keys_grants on api_keys (owner, id) where kind is not null`,
    `create table oauth_codes (
      digest text primary key,
      request_id text not null unique,
      choice text not null,
      expires_at_ms bigint not null,
      used_at_ms bigint,
      api_key_id text
    )`,
    'create index oauth_codes_expiry on oauth_codes (expires_at_ms)',
    `create table oauth_tokens (
      digest text primary key,
      kind text not null,
      api_key_id text not null references api_keys (id) on delete cascade,
      created_at_ms bigint not null,
      expires_at_ms bigint not null,
      replaced_at_ms bigint
    )`,
    'create index oauth_tokens_grant on oauth_tokens (api_key_id, created_at_ms)',
    'create index api_keys_clients on api_keys (client_id, id) where client_document is not null',
    `create table oauth_clients (
      id text primary key,
      name text not null,
      redirects text not null,
      secret_digest text,
      created_at_ms bigint not null
    )`,
    'create table oauth_assertions (digest text primary key, expires_at_ms bigint not null)',
    'create index oauth_assertions_expiry on oauth_assertions (expires_at_ms)',
  ),

  // With which the fingerprints of provider keys are made.
  '0028-fingerprints': statements(
    'create table provider_key_salt (id integer primary key, salt text not null)',
  ),

  // What was learned of each key and dataset, as JSON that only `readiness.ts` reads.
  '0030-key-readiness': statements(
    `create table key_datasets (
      fingerprint text not null,
      name text not null,
      dataset text not null,
      history text not null,
      seen_at_ms bigint not null,
      version bigint not null,
      constraint key_datasets_pkey primary key (fingerprint, name, dataset)
    )`,
    'create index key_datasets_version on key_datasets (version)',
    "insert into changes (topic, version) values ('key_datasets', 0)",
  ),

  // The ledger of the requests to providers (docs/decisions/0026-provider-keys.md).
  '0032-quotas': statements(
    `create table quota_buckets (
      bucket text primary key,
      ends_ms bigint not null,
      granted bigint not null,
      sent bigint not null,
      closed_until_ms bigint,
      probe_at_ms bigint
    )`,
    `create table quota_shares (
      bucket text not null,
      tenant_id text not null,
      ends_ms bigint not null,
      granted bigint not null,
      sent bigint not null,
      called_ms bigint not null,
      primary key (bucket, tenant_id)
    )`,
    'create index quota_shares_age on quota_shares (called_ms)',
    `create table quota_minutes (
      bucket text not null,
      minute_ms bigint not null,
      sent bigint not null,
      primary key (bucket, minute_ms)
    )`,
  ),

  // Provider keys that tenants bring, whose values are in `secrets`, and those of the operator that no tenant may use.
  '0033-own-provider-keys': statements(
    `create table own_provider_keys (
      tenant_id text not null,
      name text not null,
      changed_at_ms bigint not null,
      changed_by text not null,
      constraint own_provider_keys_pkey primary key (tenant_id, name)
    )`,
    'create table withheld_provider_keys (name text primary key)',
  ),

  '0034-quota-warnings': statements(
    'alter table quota_buckets add column warned_ms bigint',
    `create table provider_key_quotas (
      name text not null,
      dataset text not null,
      calls bigint not null,
      constraint provider_key_quotas_pkey primary key (name, dataset)
    )`,
  ),

  // Good responses that replace failures across restarts (docs/decisions/0026-provider-keys.md).
  '0035-last-good': statements(
    `create table last_good (
      question text primary key,
      tenant_id text,
      asked_ms bigint not null,
      fetched_ms bigint not null,
      used_ms bigint not null,
      bytes bigint not null,
      body bytea not null
    )`,
    'create index last_good_age on last_good (used_ms, bytes)',
    'create index last_good_tenant on last_good (tenant_id) where tenant_id is not null',
  ),
  '0036-registration-proposals': statements(
    `create table registration_proposals (
      id text primary key,
      tenant_id text not null,
      spec_url text,
      document_id text,
      draft text not null,
      created_at_ms bigint not null
    )`,
    'create index registration_proposals_tenant on registration_proposals (tenant_id, id)',
  ),
};

const ADD_VERSION_COLUMNS = statements(
  'alter table registrations add column revision integer default 1 not null',
  'alter table registrations add column pending_version integer',
  "alter table registration_versions add column base_url text default '' not null",
  "alter table registration_versions add column origins text default '[]' not null",
  "alter table registration_versions add column descriptions text default '{}' not null",
  'alter table registration_versions add column spec_url text',
);

/** Versions that were stored before: their addresses are those of the registration and of its job. */
async function fillVersions(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ id: string; base_url: string; request: string | null }>`
    select registrations.id, registrations.base_url, registration_jobs.request
    from registrations
    left join registration_jobs on registration_jobs.registration_id = registrations.id`.execute(
    db,
  );
  for (const { id, base_url, request } of rows) {
    const spec_url: string | null = request === null ? null : JSON.parse(request).url;
    await db
      .updateTable('registration_versions')
      .set({ base_url, origins: JSON.stringify([new URL(base_url).origin]), spec_url })
      .where('registration_id', '=', id)
      .execute();
  }
}

/** The tables that are in `audit.db` and on PostgreSQL. */
const SHIPPED_MIGRATIONS: Migrations = {
  '0003-audit-records': statements(
    `create table audit_records (
      audit_id text primary key,
      timestamp_ms bigint not null,
      tenant_id text not null,
      api_key_id text not null,
      request_id text not null,
      dialect text not null,
      client_name text,
      tool text not null,
      tool_id text not null,
      arguments text not null,
      upstream_method text not null,
      upstream_url text,
      upstream_status integer,
      cache_status text,
      public_data_code text,
      public_data_message text,
      outcome text not null,
      error_code text,
      error_message text,
      duration_ms double precision not null,
      upstream_ms double precision,
      response_bytes bigint not null,
      client_ip text not null
    )`,
    // `tool` comes last, so that new rows are always added at the end of their tenant's range: with `tool` second, an
    // insert cost three times as much. A filter by tool reads more index entries, but no other rows.
    `create index audit_records_tenant
     on audit_records (tenant_id, timestamp_ms, audit_id, tool)`,
    // Failures are rare and often searched for. A successful call pays nothing for this index.
    `create index audit_records_failed
     on audit_records (tenant_id, timestamp_ms, audit_id, tool)
     where outcome <> 'ok'`,
  ),

  // The hash chain over the audit records, and how far old records have been deleted.
  '0007-audit-links': statements(
    `create table audit_links (
      origin text not null,
      seq bigint not null,
      kind text not null,
      made_at_ms bigint not null,
      record_count integer not null,
      records_total bigint not null,
      detail text not null,
      records_hash text not null,
      prev_hash text not null,
      hash text not null,
      constraint audit_links_pkey primary key (origin, seq)
    )`,
    "create index audit_links_sweeps on audit_links (origin, seq) where kind = 'sweep'",
    `create table audit_sweeps (
      id integer primary key,
      swept_before_ms bigint,
      stepped_at_ms bigint,
      approved_before_ms bigint
    )`,
    'insert into audit_sweeps (id) values (1)',
  ),

  // Lets failures be counted by outcome, and found by cause, in their index alone. The new columns come last, so that
  // new rows are still added at the end of their tenant's range. A successful call pays nothing for this index.
  '0014-audit-indexes': statements(
    'drop index audit_records_failed',
    `create index audit_records_failed
     on audit_records (tenant_id, timestamp_ms, audit_id, tool, outcome, error_code)
     where outcome <> 'ok'`,
  ),

  // Records say why a call has no data or failed, and what was sent and received.
  '0017-audit-outcomes': statements(
    'alter table audit_records add column cause text',
    'alter table audit_records add column answer text',
  ),
};

const statisticsTables = (storage: string): readonly string[] => [
  `create table statistics (
    step text not null,
    scope text not null,
    kind text not null,
    bucket_ms bigint not null,
    subject text not null,
    calls bigint not null,
    caller_failures bigint not null,
    upstream_failures bigint not null,
    gateway_failures bigint not null,
    hits bigint not null,
    stale bigint not null,
    coalesced bigint not null,
    misses bigint not null,
    bypassed bigint not null,
    requests bigint not null,
    response_bytes bigint not null,
    last_ms bigint not null,
    latencies bytea not null,
    constraint statistics_pkey primary key (step, scope, kind, bucket_ms, subject)
  ) ${storage}`,
  // For the deletion of old rows.
  'create index statistics_age on statistics (step, bucket_ms)',
  `create table statistics_progress (
    step text primary key,
    row_id bigint not null,
    audit_id text not null,
    until_audit_id text not null
  )`,
];

/** The tables of `audit.db`, which is also the outbox of PostgreSQL. */
export const AUDIT_MIGRATIONS: Migrations = {
  ...SHIPPED_MIGRATIONS,

  // Ids are never reused, so they order the rows by age.
  '0006-audit-dead-letters': statements(`
    create table audit_dead_letters (
      id integer primary key autoincrement,
      source text not null,
      "row" text not null,
      reason text not null,
      buried_at_ms bigint not null
    )`),

  // Records are counted by row id. SQLite assigns the row id of a deleted newest record again, so the trigger moves the
  // progress back with it.
  '0013-statistics': statements(
    ...statisticsTables('without rowid'),
    `insert into statistics_progress (step, row_id, audit_id, until_audit_id)
     values ('minute', 0, '', ''), ('hour', 0, '', ''), ('day', 0, '', '')`,
    `create trigger statistics_row_ids after delete on audit_records
     when old.rowid <= (select max(row_id) from statistics_progress)
     begin
       update statistics_progress
       set row_id = (select coalesce(max(rowid), 0) from audit_records), audit_id = ''
       where row_id > (select coalesce(max(rowid), 0) from audit_records);
     end`,
  ),

  // By which the gateway recognises its own links. PostgreSQL does not get them.
  '0019-audit-link-macs': statements(
    "alter table audit_links add column mac text default '' not null",
  ),

  // What waits for PostgreSQL: the records of a link in one row. The size comes first, so that counting reads no records.
  '0026-audit-outbox': statements(`
    create table audit_outbox (
      link integer primary key,
      waiting integer not null,
      tenants text not null,
      records text not null
    )`),
};

/** The tables on a PostgreSQL server. */
export const ALL_MIGRATIONS: Migrations = {
  ...GATEWAY_MIGRATIONS,
  ...SHIPPED_MIGRATIONS,

  // Records that are inserted wait until they are counted; those that exist already are counted by id.
  '0013-statistics': statements(
    // Rows change often while their minute lasts: free space in a page saves an entry of the index for each change.
    ...statisticsTables('with (fillfactor = 70)'),
    // The columns of `audit_records` that are counted.
    `create table statistics_waiting (
      id bigserial primary key,
      audit_id text not null,
      timestamp_ms bigint not null,
      tenant_id text not null,
      api_key_id text not null,
      tool_id text not null,
      upstream_url text,
      cache_status text,
      outcome text not null,
      error_code text,
      duration_ms double precision not null,
      response_bytes bigint not null
    )`,
    `insert into statistics_progress (step, row_id, audit_id, until_audit_id)
     select 'all', 0, '', coalesce(max(audit_id), '') from audit_records`,
  ),

  // The gateways that use the database.
  '0025-replicas': statements(`
    create table replicas (
      id text primary key,
      started_at timestamptz not null,
      seen_at timestamptz not null,
      host text not null,
      data_dir text not null,
      version text not null,
      waiting bigint not null
    )`),
};
