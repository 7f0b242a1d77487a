import type { ColumnType, Generated } from 'kysely';
import type { Cause } from '../kernel/cause.ts';

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
    /** Requests per day in UTC; null = no limit. */
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
  /** One row per access or refresh token of a grant. */
  oauth_tokens: {
    /** SHA-256 of the token, in lower-case hex. */
    digest: string;
    kind: 'access' | 'refresh';
    api_key_id: string;
    created_at_ms: number;
    expires_at_ms: number;
    /** When a refresh token was first exchanged for the next one. */
    replaced_at_ms: Generated<number | null>;
  };
  /** The requests of one day of a key that has a daily limit; at most one row per key. */
  api_key_days: {
    api_key_id: string;
    /** Days since 1970-01-01 in UTC. */
    day: number;
    /** Including what processes have in hand. */
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
    /** The name that presets give in `x-secret`. */
    name: string;
    changed_at_ms: number;
    /** `cli`, or the id of a person. */
    changed_by: string;
  };
  /** One row per provider key that a tenant brings. Its value is in `secrets`. */
  own_provider_keys: {
    tenant_id: string;
    name: string;
    changed_at_ms: number;
    /** `cli`, or the id of a person or an API key. */
    changed_by: string;
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
    /** A `KeyHistory` as JSON. */
    history: string;
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
    /** Whose own key was sent; null for everyone's. */
    tenant_id: string | null;
    /** The time that the computed arguments are of. */
    asked_ms: number;
    fetched_ms: number;
    /** When it was asked for last. */
    used_ms: number;
    bytes: number;
    body: Uint8Array;
  };
  /** What a provider counts together, as the gateway counts it: one row per key and operation, for example. */
  quota_buckets: {
    /** The fingerprint of the key, and what is counted of it. */
    bucket: string;
    /** When the day of the counts ends. */
    ends_ms: number;
    /** Requests that processes may send or have sent. */
    granted: number;
    sent: number;
    /** Until when the provider refuses; null if it does not. */
    closed_until_ms: Generated<number | null>;
    probe_at_ms: Generated<number | null>;
    /** The end of the last day of which operators were warned that it runs out. */
    warned_ms: Generated<number | null>;
  };
  /** One row per tenant that used a bucket within 7 days. */
  quota_shares: {
    bucket: string;
    tenant_id: string;
    /** The day of the counts. */
    ends_ms: number;
    granted: number;
    sent: number;
    called_ms: number;
  };
  /** Requests of each minute of the last hour, for the forecast. */
  quota_minutes: {
    bucket: string;
    minute_ms: number;
    sent: number;
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
    visibility: 'private' | 'public';
    status: 'registered' | 'awaiting_approval';
    /** JSON object: the authentication without credentials. */
    auth: string;
    /** Increases with every change of the authentication. */
    credential_version: number;
    category: string | null;
    description: string | null;
    /** The current row of `registration_versions`. */
    version: number;
    /** The row of `registration_versions` that waits for the operator's approval, if any. */
    pending_version: number | null;
    /** Increases with every change, also of its versions. A new version takes its number from it. */
    revision: number;
    tool_count: number;
    created_at_ms: number;
    updated_at_ms: number;
  };
  /** One row per version of a registration: the current one, and at most one that waits for approval. Only `document_id` changes, if the tools stay the same. */
  registration_versions: {
    registration_id: string;
    version: number;
    /** Versions with the same description share it. */
    document_id: string;
    /** The address of the description; null if its text was sent. */
    spec_url: string | null;
    /** JSON object: `baseUrl`, `include`, `exclude` and perhaps `extensions`. */
    options: string;
    /** The base address of the tools. */
    base_url: string;
    /** JSON array: the origins that get the credential. */
    origins: string;
    /** JSON array of `{compiled, name}`: the name by the description, and the one that is shown. */
    tools: string;
    /** JSON object: texts that a person wrote, by the tool's name by the description. */
    descriptions: string;
    /** JSON object. */
    report: string;
    /** gzip: the compiled tools, so that no start compiles them again. Null if they were never stored or are too large. */
    compiled: Generated<Uint8Array | null>;
    /** What `compiled` was made from, and by which release. */
    compiled_stamp: Generated<string | null>;
    created_at_ms: number;
  };
  /** One row per description of a job or a version. */
  registration_documents: {
    id: string;
    tenant_id: string;
    /** gzip. */
    content: Uint8Array;
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
  /** One row per tenant, and one for public APIs: which version of the topic `registrations` changed its tools. */
  registration_layers: {
    /** Id of a tenant, or `public`. */
    layer: string;
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
      | 'awaiting_approval'
      | 'confirmation_required'
      | 'checked';
    /** How often a process has taken it. Every statement of a process names its attempt. */
    attempt: number;
    /** From when a process may take it: at once, after a pause, or when a lease expires. Null once it has ended. */
    due_at_ms: number | null;
    /** Its place in the queue. Null once it has ended. */
    place_ms: number | null;
    /** When it fails. Null until it is first taken. */
    deadline_at_ms: number | null;
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
    idempotency_key: string | null;
    /** `<salt>.<scrypt>` of the request; null without a key. */
    request_digest: string | null;
    created_at_ms: number;
    updated_at_ms: number;
  };
  /** One row per person. */
  people_users: {
    id: string;
    name: string;
    /** In lower case. The id of the person if `claimed_email` is set: better-auth wants addresses to be unique. */
    email: string;
    /** The address, if another unproved person has it already. */
    claimed_email: string | null;
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
  /** One row per invitation that is neither used nor withdrawn. */
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
  /** One row per commit of records, anchor or sweep, and one where a chain starts. Each contains the hash of the one before. */
  audit_links: {
    /** The chain that it belongs to; one per `audit.db`. */
    origin: string;
    /** From 0, without a gap; from 1 in chains of older versions, which have no start. */
    seq: number;
    kind: 'start' | 'records' | 'anchor' | 'sweep';
    made_at_ms: number;
    record_count: number;
    /** Records of this chain up to this link. */
    records_total: number;
    /** For `records`, the audit ids in the order of `records_hash`, separated by spaces. For `sweep` and `start`, a JSON object. */
    detail: string;
    /** SHA-256 of the records in base64url; empty for a link without records. */
    records_hash: string;
    /** `hash` of the previous link; empty for the first. */
    prev_hash: string;
    /** SHA-256 of all the other columns, in base64url. */
    hash: string;
  };
  /** How far old records have been deleted. A single row. */
  audit_sweeps: {
    id: number;
    /** Records created before this time have been deleted; null before the first sweep. */
    swept_before_ms: number | null;
    /** When a refused sweep last deleted a day's worth of records. */
    stepped_at_ms: number | null;
    /** Up to where an operator has approved deletion at once. */
    approved_before_ms: number | null;
  };
  /**
   * One row per minute, hour or day and what the calls in it have in common: a tool, a key. In `audit.db`, and on
   * PostgreSQL (docs/statistics.md).
   */
  statistics: {
    step: 'minute' | 'hour' | 'day';
    /** The id of a tenant; `*` = all tenants. */
    scope: string;
    kind: 'all' | 'tool' | 'key' | 'tenant' | 'upstream' | 'use';
    /** When the minute, hour or day begins. Days begin at midnight in Seoul. */
    bucket_ms: number;
    /** The id of the tool, key or tenant, or the origin of the upstream; empty for `all`. */
    subject: string;
    calls: number;
    caller_failures: number;
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
    /** How many calls took how long, packed. */
    latencies: Uint8Array;
  };
  /** Which audit records have been counted. In `audit.db` a row for each step; on PostgreSQL a single one. */
  statistics_progress: {
    step: string;
    /** In `audit.db`: the row id of the newest counted record. */
    row_id: number;
    /** The newest counted record; unused on PostgreSQL, where records wait in a table. */
    audit_id: string;
    /** No longer used. */
    until_audit_id: string;
  };
  /** One row per gateway that runs, or has not ended in order; on PostgreSQL only. */
  replicas: {
    id: string;
    /** Tells two processes apart whose DATA_DIR has the same id. */
    started_at: Date;
    /** By the clock of PostgreSQL. */
    seen_at: Date;
    host: string;
    data_dir: string;
    version: string;
    /** Audit records that wait in its DATA_DIR. */
    waiting: number;
  };
  /** The counted columns of records that have been inserted and not been counted; on PostgreSQL only. */
  statistics_waiting: Pick<
    Tables['audit_records'],
    | 'audit_id'
    | 'timestamp_ms'
    | 'tenant_id'
    | 'api_key_id'
    | 'tool_id'
    | 'upstream_url'
    | 'cache_status'
    | 'outcome'
    | 'error_code'
    | 'duration_ms'
    | 'response_bytes'
  > & {
    id: Generated<number>;
  };
}

export type ApiKeysTable = Tables['api_keys'];
export type RegistrationsTable = Tables['registrations'];
export type RegistrationJobsTable = Tables['registration_jobs'];
export type InvitationsTable = Tables['invitations'];
export type AuditRecordsTable = Tables['audit_records'];
export type AuditLinksTable = Tables['audit_links'];
export type AuditSweepsTable = Tables['audit_sweeps'];
export type StatisticsTable = Tables['statistics'];
