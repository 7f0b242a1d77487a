import { type Kysely, sql } from 'kysely';
import { LATENCY_COLUMNS, type Tables } from './tables.ts';

interface Migration {
  up(db: Kysely<Tables>): Promise<void>;
}

/**
 * Migrations by name. Each runs once, in the order of the names. An older version of the gateway must be able to start
 * beside its tables: a migration that does more than add ends in `-incompatible`.
 */
export type Migrations = Readonly<Record<string, Migration>>;

/** Statements that SQLite and PostgreSQL both understand. SQLite adds one column in a statement. */
const statements = (texts: readonly string[]): Migration => ({
  up: async (db) => {
    for (const text of texts) await sql.raw(text).execute(db);
  },
});

/** The columns of a table of better-auth 1.7 that say when a row was made and changed. */
const TIMES = `
      created_at timestamptz default current_timestamp not null,
      updated_at timestamptz default current_timestamp not null`;

const GATEWAY_TABLES = [
  `create table tenants (
      id text primary key,
      slug text not null unique,
      name text not null,
      created_at_ms bigint not null
    )`,

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
      created_version bigint,
      changed_version bigint,
      rate_limit_per_minute integer,
      operator_rate_limit integer,
      daily_limit integer,
      owner text,
      description text,
      rotated_from text,
      rotated_to text,
      revision integer default 1 not null,
      mode text,
      scope text,
      kind text,
      client_id text,
      client_name text,
      client_document text
    )`,
  'create index api_keys_tenant on api_keys (tenant_id, id)',
  'create index api_keys_changed on api_keys (changed_version)',
  'create index api_keys_grants on api_keys (owner, id) where kind is not null',
  'create index api_keys_clients on api_keys (client_id, id) where client_document is not null',
  `create table api_key_days (
      api_key_id text primary key,
      ends_ms bigint not null,
      used bigint not null
    )`,
  'create table changes (topic text primary key, version bigint not null)',
  "insert into changes (topic, version) values ('api_keys', 0)",

  // The administrative trail.
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
  'create index admin_events_action on admin_events (action, id)',
  'create index admin_events_actor on admin_events (actor, id)',

  // Credentials of tenants, encrypted.
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

  // APIs that tenants registered.
  `create table registrations (
      id text primary key,
      tenant_id text not null references tenants (id),
      name text not null,
      name_key text not null,
      slug text not null,
      auth text not null,
      credential_version integer not null,
      about text not null,
      revision integer not null,
      document_id text not null,
      spec_url text,
      options text not null,
      base_url text not null,
      origins text not null,
      tools text not null,
      descriptions text not null,
      created_at_ms bigint not null,
      updated_at_ms bigint not null,
      report text not null,
      compiled bytea,
      compiled_stamp text,
      constraint registrations_slug unique (tenant_id, slug),
      constraint registrations_name unique (tenant_id, name_key)
    )`,
  `create table registration_documents (
      id text primary key,
      tenant_id text not null,
      content bytea not null
    )`,
  // Where the latest response of each registered tool had its rows.
  `create table registration_rows (
      registration_id text not null references registrations (id) on delete cascade,
      tool text not null,
      tool_version text not null,
      place text not null,
      found_at_ms bigint not null,
      constraint registration_rows_tool primary key (registration_id, tool)
    )`,
  'create table registration_layers (tenant_id text primary key, changed_version bigint not null)',
  "insert into changes (topic, version) values ('registrations', 0)",

  `create table registration_jobs (
      id text primary key,
      tenant_id text not null references tenants (id),
      api_key_id text not null,
      state text not null,
      alive_at_ms bigint,
      name text not null,
      name_key text not null,
      is_dry_run integer not null,
      request text not null,
      document_id text,
      error text,
      report text,
      origins text,
      registration_id text,
      created_at_ms bigint not null,
      updated_at_ms bigint not null
    )`,
  'create index registration_jobs_open on registration_jobs (alive_at_ms) where alive_at_ms is not null',
  'create index registration_jobs_tenant on registration_jobs (tenant_id, id)',

  // People, their sessions, memberships and invitations. The columns of `people_*` are those that better-auth generates;
  // `is_operator` is the gateway's own. SQLite stores a `timestamptz` as the text that it is given.
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
      withdrawn_at_ms bigint,
      constraint invitations_email unique (tenant_id, email)
    )`,
  'create index invitations_of_email on invitations (email)',
  'create table session_secrets (id integer primary key, secret text not null)',
  "insert into changes (topic, version) values ('people', 0)",

  // Provider keys of the operator, whose tenant is empty, and of tenants: when each last changed, and by whom. The value is
  // in `secrets`, so that it is rotated with the others.
  `create table provider_keys (
      tenant_id text not null,
      name text not null,
      changed_at_ms bigint not null,
      changed_by text not null,
      origins text default '[]' not null,
      constraint provider_keys_pkey primary key (tenant_id, name)
    )`,
  "insert into changes (topic, version) values ('provider_keys', 0)",

  // Hosts that people connect: a grant is an API key without a text.
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
      api_key_id text not null references api_keys (id) on delete cascade,
      created_at_ms bigint not null,
      expires_at_ms bigint not null
    )`,
  'create index oauth_tokens_grant on oauth_tokens (api_key_id, created_at_ms)',
  `create table oauth_refresh_tokens (
      api_key_id text primary key references api_keys (id) on delete cascade,
      living text not null
    )`,
  `create table oauth_clients (
      id text primary key,
      name text not null,
      redirects text not null,
      secret_digest text,
      created_at_ms bigint not null
    )`,
  'create table oauth_assertions (digest text primary key, expires_at_ms bigint not null)',
  'create index oauth_assertions_expiry on oauth_assertions (expires_at_ms)',

  // With which the fingerprints of provider keys are made.
  'create table provider_key_salt (id integer primary key, salt text not null)',

  // What was learned of each key and dataset, as JSON that only `readiness.ts` reads.
  `create table key_datasets (
      fingerprint text not null,
      name text not null,
      dataset text not null,
      history text not null,
      applied_at_ms bigint,
      seen_at_ms bigint not null,
      version bigint not null,
      constraint key_datasets_pkey primary key (fingerprint, name, dataset)
    )`,
  'create index key_datasets_version on key_datasets (version)',
  "insert into changes (topic, version) values ('key_datasets', 0)",

  // The ledger of the requests to providers (docs/decisions/0026-provider-keys.md).
  `create table quota_buckets (
      bucket text primary key,
      closed_until_ms bigint not null default 0,
      probe_at_ms bigint not null default 0,
      warned_ms bigint not null default 0,
      warned_percent integer not null default 0
    )`,
  `create table quota_use (
      bucket text not null,
      tenant_id text not null,
      ends_ms bigint not null,
      sent bigint not null,
      called_ms bigint not null,
      primary key (bucket, tenant_id)
    )`,
  'create index quota_use_age on quota_use (called_ms)',

  // Provider keys of the operator that no tenant may use.
  'create table withheld_provider_keys (name text primary key)',

  `create table provider_key_quotas (
      name text not null,
      dataset text not null,
      calls bigint not null,
      constraint provider_key_quotas_pkey primary key (name, dataset)
    )`,

  // Good responses that replace failures across restarts (docs/decisions/0026-provider-keys.md).
  `create table last_good (
      question text primary key,
      tenant_id text,
      asked_by text default '' not null,
      asked_ms bigint not null,
      fetched_ms bigint not null,
      used_ms bigint not null,
      bytes bigint not null,
      body bytea not null
    )`,
  // The index has all that is needed to find what a tenant has beyond its share.
  'create index last_good_age on last_good (used_ms, bytes, asked_by)',
  'create index last_good_tenant on last_good (tenant_id) where tenant_id is not null',

  // Whole answers as files, whose rows are in compressed pieces, and the key of their ids and signatures.
  `create table results (
      id text primary key,
      tenant_id text not null,
      tool text not null,
      file_name text not null,
      columns text,
      row_count bigint not null,
      bytes bigint not null,
      expires_at_ms bigint not null
    )`,
  // The index has all that is needed to find what a tenant has beyond its share.
  'create index results_age on results (expires_at_ms, bytes, tenant_id)',
  `create table result_pieces (
      result_id text not null,
      n bigint not null,
      body bytea not null,
      constraint result_pieces_pkey primary key (result_id, n)
    )`,
  'create table result_key (id integer primary key, key text not null)',

  `create table registration_proposals (
      id text primary key,
      tenant_id text not null,
      spec_url text,
      document_id text,
      draft text not null,
      created_at_ms bigint not null
    )`,
  'create index registration_proposals_tenant on registration_proposals (tenant_id, id)',
];

/** The tables that are in `audit.db` and on PostgreSQL. `keys` declares the keys of a record: `n` and `audit_id`. */
const sharedTables = (keys: string): readonly string[] => [
  `create table audit_records (
      ${keys},
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
      cause text,
      answer text,
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
  // Failures are rare and often searched for: counted by outcome, and found by cause, in their index alone. The columns
  // for that come last, as above. A successful call pays nothing for this index.
  `create index audit_records_failed
     on audit_records (tenant_id, timestamp_ms, audit_id, tool, outcome, error_code, cause)
     where outcome <> 'ok'`,

  // The seals over the audit records, and up to when old ones are deleted.
  `create table audit_seals (
      seq bigint primary key,
      up_to bigint not null,
      count bigint not null,
      sealed_at_ms bigint not null,
      records_hash text not null,
      prev_hash text not null,
      hash text not null
    )`,
  `create table audit_retention (
      id integer primary key,
      cutoff_ms bigint not null,
      moved_at_ms bigint not null
    )`,
];

const statisticsTables = (storage: string): readonly string[] => [
  `create table statistics (
    step text not null,
    scope text not null,
    kind text not null,
    bucket_ms bigint not null,
    subject text not null,
    calls bigint not null default 0,
    caller_failures bigint not null default 0,
    key_failures bigint not null default 0,
    upstream_failures bigint not null default 0,
    gateway_failures bigint not null default 0,
    hits bigint not null default 0,
    stale bigint not null default 0,
    coalesced bigint not null default 0,
    misses bigint not null default 0,
    bypassed bigint not null default 0,
    requests bigint not null default 0,
    response_bytes bigint not null default 0,
    last_ms bigint not null,
    ${LATENCY_COLUMNS.map((column) => `${column} bigint not null default 0,`).join(' ')}
    constraint statistics_pkey primary key (step, scope, kind, bucket_ms, subject)
  ) ${storage}`,
  // For the deletion of old rows.
  'create index statistics_age on statistics (step, bucket_ms)',
  `create table refusals (
    step text not null,
    scope text not null,
    bucket_ms bigint not null,
    subject text not null,
    reason text not null,
    count bigint not null,
    last_ms bigint not null,
    constraint refusals_pkey primary key (step, scope, bucket_ms, subject, reason)
  ) ${storage}`,
  'create index refusals_age on refusals (step, bucket_ms)',
];

const AUDIT_TABLES = [
  // The key is the row id, which SQLite has anyway.
  ...sharedTables('n integer primary key, audit_id text not null unique'),

  // Ids are never reused, so they order the rows by age.
  `create table audit_dead_letters (
      id integer primary key autoincrement,
      source text not null,
      "row" text not null,
      reason text not null,
      buried_at_ms bigint not null
    )`,

  ...statisticsTables('without rowid'),

  // What waits for PostgreSQL: the records of a commit in one row. The size comes first, so that counting reads no records.
  `create table audit_outbox (
      id integer primary key,
      waiting integer not null,
      stored_at_ms integer not null,
      records text not null
    )`,
];

const POSTGRES_TABLES = [
  ...GATEWAY_TABLES,
  ...sharedTables(
    'n bigint generated by default as identity unique, audit_id text not null primary key',
  ),

  // Rows change often while their minute lasts: free space in a page saves an entry of the index for each change.
  ...statisticsTables('with (fillfactor = 70)'),

  // The gateways that use the database.
  `create table replicas (
      id text primary key,
      seen_at timestamptz not null,
      host text not null,
      data_dir text not null,
      version text not null,
      waiting bigint not null
    )`,
];

// The tables of the first release. Earlier commits had others, with lower numbers.

/** The tables of `gateway.db`. */
export const GATEWAY_MIGRATIONS: Migrations = { '0100-gateway': statements(GATEWAY_TABLES) };

/** The tables of `audit.db`, which is also the outbox of PostgreSQL. */
export const AUDIT_MIGRATIONS: Migrations = { '0100-audit': statements(AUDIT_TABLES) };

/** The tables on a PostgreSQL server. */
export const ALL_MIGRATIONS: Migrations = { '0100-postgresql': statements(POSTGRES_TABLES) };
