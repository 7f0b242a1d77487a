import type { ColumnType, Generated } from 'kysely';
import type { Cause } from '../kernel/cause.ts';
import type { RefusalReason } from '../kernel/refusal.ts';

/** A time as better-auth stores it: ISO 8601 text on SQLite, a Date on PostgreSQL. Both accept and compare ISO 8601 text. */
type PeopleTime = ColumnType<string | Date, string | undefined, string>;

/**
 * The rows of every table. SQLite and PostgreSQL store, sort and return their column types alike: text ids, JSON as text,
 * times as bigint milliseconds (exact, 8 bytes in an index, compared independently of collation), and bytes as bytea.
 */
export interface Tables {
  tenants: {
    id: string;
    slug: string;
    name: string;
    created_at_ms: number;
  };
  api_keys: {
    id: string;
    tenant_id: string;
    name: string;
    /** The first characters of the key, by which people recognise it. */
    prefix: string;
    /** SHA-256 of the key, in lower-case hex. */
    hash: string;
    /** JSON array of tool names; null = all. */
    allowed_tools: string | null;
    created_at_ms: number;
    expires_at_ms: number | null;
    revoked_at_ms: number | null;
    /** The version of the topic `api_keys` in `changes` at the latest change, including creation. */
    changed_version: number | null;
    /** The version at creation; null for a key that is older than this column. */
    created_version: number | null;
    /** Null = the gateway's setting. */
    rate_limit_per_minute: Generated<number | null>;
    /** The limit per minute that an operator gave last; null if none did, or the gateway's setting. */
    operator_rate_limit: Generated<number | null>;
    /** Requests per day in Seoul; null = no limit. */
    daily_limit: Generated<number | null>;
    /** Null = all tools are listed. */
    mode: Generated<'search' | null>;
    /** What it may manage; null = nothing. */
    scope: Generated<'admin' | 'operator' | null>;
    /** Who created it: a person's id, `cli` or `start`; null for a key that is older than this column. */
    owner: Generated<string | null>;
    description: Generated<string | null>;
    /** The key that it replaces. */
    rotated_from: Generated<string | null>;
    /** The key that replaces it. */
    rotated_to: Generated<string | null>;
    /** Increases with every change of the key. */
    revision: Generated<number>;
    /** `oauth`: what a person lets a host do; `external`: a subject of another authorization server. Neither has a text. Null = an API key. */
    kind: Generated<'oauth' | 'external' | null>;
    /** Of a grant: the host's address of itself, or the SHA-256 of its sealed registration in lower-case hex. */
    client_id: Generated<string | null>;
    /** Of a grant: what the host calls itself. */
    client_name: Generated<string | null>;
    /** Of a grant: JSON, what the site of the host published about it. */
    client_document: Generated<string | null>;
  };
  /** One row per consent of a person whose code can be redeemed, and for an hour after. */
  oauth_codes: {
    /** SHA-256 of the code, in lower-case hex. */
    digest: string;
    /** The request that was answered: each is answered once. */
    request_id: string;
    /** JSON object: what the person chose, and for whom. */
    choice: string;
    expires_at_ms: number;
    /** Null until it is redeemed. */
    used_at_ms: Generated<number | null>;
    /** The grant that it was redeemed for. */
    api_key_id: Generated<string | null>;
  };
  /** One row per client that an operator has created. */
  oauth_clients: {
    id: string;
    name: string;
    /** JSON array of addresses. */
    redirects: string;
    /** SHA-256 of the secret, in lower-case hex; null for a client without one. */
    secret_digest: string | null;
    created_at_ms: number;
  };
  /** One row per assertion of a client that was shown, until it expires. */
  oauth_assertions: {
    /** SHA-256 of the client and the assertion's id, in lower-case hex. */
    digest: string;
    expires_at_ms: number;
  };
  /** One row per access token of a grant. */
  oauth_tokens: {
    /** SHA-256 of the token, in lower-case hex. */
    digest: string;
    api_key_id: string;
    created_at_ms: number;
    expires_at_ms: number;
  };
  /** One row per grant. */
  oauth_refresh_tokens: {
    api_key_id: string;
    /** JSON, the refresh tokens that may be used, which only `refresh-tokens.ts` reads. */
    living: string;
  };
  /** The requests of one day of a key that has a daily limit; at most one row per key. */
  api_key_days: {
    api_key_id: string;
    /** When the day of the count ends. */
    ends_ms: number;
    used: number;
  };
  /** One counter per topic, incremented in the transaction of every change, so that replicas need to read only one row. */
  changes: {
    topic: 'api_keys' | 'registrations' | 'people' | 'provider_keys' | 'key_datasets';
    version: number;
  };
  /** One row per credential of a tenant. */
  secrets: {
    tenant_id: string;
    /** What the credential belongs to, for example a registration. */
    subject_id: string;
    field: string;
    /** `v1.<key id>.<bytes in base64url>`. */
    encrypted: string;
    key_id: string;
    updated_at_ms: number;
  };
  /** One row per provider key that was ever stored here. Its value, if it is still stored, is in `secrets`. */
  provider_keys: {
    /** Empty for a key of the operator. */
    tenant_id: string;
    /** The name that presets give in `x-secret`. */
    name: string;
    changed_at_ms: number;
    /** `cli`, or the id of a person or an API key. */
    changed_by: string;
    /** JSON array: where an admin has allowed APIs of the tenant to send it. */
    origins: Generated<string>;
  };
  /** The operator's provider keys that no tenant may use. */
  withheld_provider_keys: {
    name: string;
  };
  /** At most one row, with id 1. */
  provider_key_salt: {
    id: number;
    /** Random bytes in base64url. */
    salt: string;
  };
  /** One row per key of a provider and dataset that it was sent for. */
  key_datasets: {
    fingerprint: string;
    /** The name of the key in `x-secret`. */
    name: string;
    dataset: string;
    /** A `KeyHistory` as JSON, without when the dataset was applied for. */
    history: string;
    applied_at_ms: number | null;
    /** Of the latest response that is in it. */
    seen_at_ms: number;
    /** That of the topic when the row was written. */
    version: number;
  };
  /** What a provider allows the operator's account, where it is not what the preset says. */
  provider_key_quotas: {
    name: string;
    dataset: string;
    /** Requests a day. */
    calls: number;
  };
  /** The last good response to each question that was asked of presets. */
  last_good: {
    /** A hash. */
    question: string;
    /** The tenant whose key was sent; null without one. */
    tenant_id: string | null;
    /** The tenant that asked first, of whose share it is. */
    asked_by: Generated<string>;
    /** The time that the computed arguments are of. */
    asked_ms: number;
    fetched_ms: number;
    /** When it was asked for last. */
    used_ms: number;
    bytes: number;
    body: Uint8Array;
  };
  /** Whole answers, kept as files for an hour. */
  results: {
    id: string;
    tenant_id: string;
    /** The name of the tool. */
    tool: string;
    /** Without its extension. */
    file_name: string;
    /** JSON array of names; null until all rows are stored. */
    columns: string | null;
    row_count: number;
    /** Of its compressed pieces, and of this row. */
    bytes: number;
    /** 0 = it must make room. */
    expires_at_ms: number;
  };
  /** The rows of results, in pieces. */
  result_pieces: {
    result_id: string;
    /** From 0. */
    n: number;
    /** Compressed lines, each a JSON array of cells. */
    body: Uint8Array;
  };
  /** One row: what ids and signatures of results are made with. */
  result_key: {
    id: number;
    /** Random bytes in base64url. */
    key: string;
  };
  /** The state of what a provider counts together: a key and an operation, for example. */
  quota_buckets: {
    /** The fingerprint of the key, and what is counted of it. */
    bucket: string;
    /** Until when the provider refuses, and when the next request tries whether it still does; 0 if it does not. */
    closed_until_ms: Generated<number>;
    probe_at_ms: Generated<number>;
    /** The end of the last day of which operators were warned that it runs out, and at which part of the quota. */
    warned_ms: Generated<number>;
    warned_percent: Generated<number>;
  };
  /** What was sent of a bucket in one day: by all, with an empty tenant, and by each that used it within 7 days. */
  quota_use: {
    bucket: string;
    tenant_id: string;
    /** When the day of the count ends. */
    ends_ms: number;
    sent: number;
    called_ms: number;
  };
  /** One row per API that a tenant registered. */
  registrations: {
    id: string;
    tenant_id: string;
    name: string;
    /** The name without differences of case and punctuation; unique in its tenant. */
    name_key: string;
    /** Part of the ids of its tools; unique in its tenant, and never changed. */
    slug: string;
    /** JSON object: the authentication without credentials. */
    auth: string;
    /** Increases with every change of the authentication. */
    credential_version: number;
    /** JSON object: what the tenant says of it that nothing is compiled with. */
    about: string;
    /** Increases with every change, but not with a description that gives the same tools. */
    revision: number;
    document_id: string;
    /** The address of the description; null if its text was sent. */
    spec_url: string | null;
    /** JSON object: `baseUrl`, `include`, `exclude` and perhaps `extensions`. */
    options: string;
    /** The base address of the tools. */
    base_url: string;
    /** JSON array: the origins that get the credential. */
    origins: string;
    /** JSON array of `{compiled, name}`: the name by the description, and the name that is shown. */
    tools: string;
    /** JSON object: texts that a person wrote, by the tool's name by the description. */
    descriptions: string;
    created_at_ms: number;
    updated_at_ms: number;
    /** JSON object. */
    report: string;
    /** gzip: the compiled tools, so that no start compiles them again. Null if they were never stored or are too large. */
    compiled: Generated<Uint8Array | null>;
    /** What `compiled` was made from, and by which release. */
    compiled_stamp: Generated<string | null>;
  };
  /** One row per description of a job, a proposal or a registration. */
  registration_documents: {
    id: string;
    tenant_id: string;
    /** gzip. */
    content: Uint8Array;
  };
  /** One row per registered tool whose rows were found in a response. */
  registration_rows: {
    registration_id: string;
    /** Its name in the registration. */
    tool: string;
    tool_version: string;
    /** A `RowPlace` as JSON. */
    place: string;
    found_at_ms: number;
  };
  /** One row per proposal for a description that is not registered yet, for an hour. */
  registration_proposals: {
    id: string;
    tenant_id: string;
    /** The address at which a refresh finds the description again; null if its text was sent. */
    spec_url: string | null;
    /** Null if there is nothing to register. */
    document_id: string | null;
    /** A `ProposalDraft` as JSON. */
    draft: string;
    created_at_ms: number;
  };
  /** One row per tenant that has registered APIs: which version of the topic `registrations` changed them last. */
  registration_layers: {
    tenant_id: string;
    changed_version: number;
  };
  /** One row per registration job. */
  registration_jobs: {
    id: string;
    tenant_id: string;
    api_key_id: string;
    state:
      | 'queued'
      | 'fetching'
      | 'validating'
      | 'converting'
      | 'registered'
      | 'failed'
      | 'confirmation_required'
      | 'checked';
    /** When its process was last known to run. Null once the job has ended. */
    alive_at_ms: number | null;
    name: string;
    name_key: string;
    is_dry_run: number;
    /** JSON object: the request without the description and without credentials. */
    request: string;
    document_id: string | null;
    /** JSON object: `code`, `message`, perhaps `pointer`. */
    error: string | null;
    /** JSON array: where the credential would be sent. */
    origins: Generated<string | null>;
    /** JSON object. */
    report: string | null;
    registration_id: string | null;
    created_at_ms: number;
    updated_at_ms: number;
  };
  /** One row per person. */
  people_users: {
    id: string;
    name: string;
    /** In lower case. */
    email: string;
    /** Whether an operator or the identity provider has proved the address: 0 or 1, and on PostgreSQL a boolean. */
    email_verified: ColumnType<number | boolean, number, number>;
    image: string | null;
    is_operator: Generated<number>;
    created_at: PeopleTime;
    updated_at: PeopleTime;
  };
  /** One row per session of a person. */
  people_sessions: {
    id: string;
    expires_at: ColumnType<string | Date, string, string>;
    /** Worthless without the signature that its cookie also holds. */
    token: string;
    ip_address: string | null;
    user_agent: string | null;
    user_id: string;
    created_at: PeopleTime;
    updated_at: PeopleTime;
  };
  /** One row per way in which a person signs in: a password, or the identity provider. */
  people_accounts: {
    id: string;
    account_id: string;
    provider_id: string;
    user_id: string;
    access_token: string | null;
    refresh_token: string | null;
    id_token: string | null;
    access_token_expires_at: string | Date | null;
    refresh_token_expires_at: string | Date | null;
    scope: string | null;
    /** `<salt>:<scrypt>`. */
    password: string | null;
    created_at: PeopleTime;
    updated_at: PeopleTime;
  };
  /** One row per tenant of a person. */
  memberships: {
    person_id: string;
    tenant_id: string;
    role: 'admin' | 'viewer';
    created_at_ms: number;
  };
  /** One row per invitation that is not used. The next invitation of the tenant deletes withdrawn ones. */
  invitations: {
    id: string;
    /** SHA-256 of the token, in lower-case hex. */
    token_hash: string;
    tenant_id: string;
    /** In lower case. */
    email: string;
    role: 'admin' | 'viewer';
    /** Id of the person. */
    invited_by: string;
    created_at_ms: number;
    expires_at_ms: number;
    /** While it is withdrawn. */
    withdrawn_at_ms: number | null;
  };
  /** The secret that signs session cookies, where the vault has no key. A single row. */
  session_secrets: {
    id: number;
    secret: string;
  };
  /** One row per administrative change. */
  admin_events: {
    id: string;
    timestamp_ms: number;
    /** Null if the change concerns every tenant. */
    tenant_id: string | null;
    actor: string;
    action: string;
    subject_id: string;
    /** JSON object. */
    details: string;
  };
  /** One row per audit record; in `audit.db`, and on PostgreSQL. */
  audit_records: {
    /** Increases with every record that is inserted; never used again. */
    n: Generated<number>;
    audit_id: string;
    timestamp_ms: number;
    tenant_id: string;
    api_key_id: string;
    request_id: string;
    dialect: string;
    client_name: string | null;
    tool: string;
    tool_id: string;
    /** JSON object. */
    arguments: string;
    upstream_method: string;
    upstream_url: string | null;
    upstream_status: number | null;
    cache_status: 'HIT' | 'MISS' | 'COALESCED' | 'STALE' | 'BYPASS' | null;
    public_data_code: string | null;
    public_data_message: string | null;
    outcome: 'ok' | 'upstream_error' | 'error';
    error_code: string | null;
    error_message: string | null;
    duration_ms: number;
    upstream_ms: number | null;
    response_bytes: number;
    client_ip: string;
    cause: Cause | null;
    /** JSON object with what `arguments` do not show of the answer; null if there is nothing. */
    answer: string | null;
  };
  /** One row per record that PostgreSQL refused; in `audit.db` only. */
  audit_dead_letters: {
    id: Generated<number>;
    /** The table that the row was for. */
    source: string;
    /** JSON object of the row's columns, with long values cut. */
    row: string;
    reason: string;
    buried_at_ms: number;
  };
  /** One row per seal, which proves what the records since the one before it contained. */
  audit_seals: {
    /** From 1, without a gap. */
    seq: number;
    /** The largest `n` of its records. Those of the seal before it are smaller. */
    up_to: number;
    /** How many records it has. */
    count: number;
    sealed_at_ms: number;
    /** SHA-256 of the records in the order of `n`, in base64url. */
    records_hash: string;
    /** `hash` of the previous seal; empty for the first. */
    prev_hash: string;
    /** SHA-256 of all the other columns, in base64url. */
    hash: string;
  };
  /** Up to when retention deletes. At most one row, with id 1. */
  audit_retention: {
    id: number;
    /** Seals from before this time are deleted with their records. */
    cutoff_ms: number;
    /** When it was moved last. */
    moved_at_ms: number;
  };
  /**
   * One row per minute, hour or day and what the calls in it have in common: a tool, a key. In `audit.db`, and on
   * PostgreSQL (docs/statistics.md).
   */
  statistics: {
    step: 'minute' | 'hour' | 'day';
    /** The id of a tenant; `*` = all tenants. */
    scope: string;
    kind: 'all' | 'tool' | 'key' | 'tenant' | 'upstream' | 'key_tool';
    /** When the minute, hour or day begins. Days begin at midnight in Seoul. */
    bucket_ms: number;
    /** The id of the tool, key or tenant, or the origin of the upstream; both ids for `key_tool`, empty for `all`. */
    subject: string;
    calls: number;
    caller_failures: number;
    key_failures: number;
    upstream_failures: number;
    gateway_failures: number;
    hits: number;
    stale: number;
    coalesced: number;
    misses: number;
    bypassed: number;
    /** Calls that sent a request to the upstream. */
    requests: number;
    response_bytes: number;
    /** When the latest of the calls started. */
    last_ms: number;
  } & Record<LatencyColumn, number>;
  /** Requests that were refused before they had an audit record; in `audit.db`, or on PostgreSQL. */
  refusals: {
    step: 'minute' | 'hour' | 'day';
    /** The id of a tenant; `*` = all tenants. */
    scope: string;
    bucket_ms: number;
    /** The id of the key; of the tenant, over all tenants. */
    subject: string;
    reason: RefusalReason;
    count: number;
    /** When the latest of them came. */
    last_ms: number;
  };
  /** One row per gateway that runs, or has not ended in order; on PostgreSQL only. */
  replicas: {
    id: string;
    /** By the clock of PostgreSQL. */
    seen_at: Date;
    host: string;
    data_dir: string;
    version: string;
    /** Audit records that wait in its DATA_DIR. */
    waiting: number;
  };
}

export type ApiKeysTable = Tables['api_keys'];
export type RegistrationsTable = Tables['registrations'];
export type RegistrationJobsTable = Tables['registration_jobs'];
export type InvitationsTable = Tables['invitations'];
/** An audit record without what the database adds to it. */
export type AuditRecordsTable = Omit<Tables['audit_records'], 'n'>;
export type AuditSealsTable = Tables['audit_seals'];
export type AuditRetentionTable = Tables['audit_retention'];
export type StatisticsTable = Tables['statistics'];
export type RefusalsTable = Tables['refusals'];

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** How many calls took how long: one column for each bucket of durations. */
export type LatencyColumn = `latency_${0 | 1 | 2}${Digit}` | `latency_3${0 | 1 | 2 | 3 | 4}`;

export const LATENCY_COLUMNS: readonly LatencyColumn[] = Array.from(
  { length: 35 },
  (_, bucket) => `latency_${String(bucket).padStart(2, '0')}` as LatencyColumn,
);
