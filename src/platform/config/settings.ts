import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { closest } from '../kernel/closest.ts';
import { isApiKeyText } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import { PACKAGE_ROOT } from '../kernel/shipped-files.ts';
import { contact } from './contact.ts';
import { readSecretText, SettingsError } from './secret-text.ts';
import { parseTrustProxy } from './trust-proxy.ts';

export { SettingsError } from './secret-text.ts';

/** One setting: its parser, its default and its meaning. docs/config.md is generated from it. */
interface Setting<T> {
  readonly parse: (text: string) => T;
  readonly default: T;
  readonly meaning: string;
  /** It may also be in the file that `NAME_FILE` names. */
  readonly isSecret?: true;
}

const setting = <T>(
  parse: (text: string) => T,
  fallback: T,
  options: Pick<Setting<T>, 'isSecret'> = {},
) => ({
  means: (meaning: string): Setting<T> => ({ parse, default: fallback, meaning, ...options }),
});

/** A setting that is undefined unless it is set. */
const optional = <T>(parse: (text: string) => T) => setting<T | undefined>(parse, undefined);

const secret = (parse: (text: string) => string) =>
  setting<Secret | undefined>((value) => new Secret(parse(value)), undefined, { isSecret: true });

const text = (value: string): string => value;

/** Text that meets a condition. */
const textThat =
  (isValid: (value: string) => boolean, condition: string) =>
  (value: string): string => {
    if (!isValid(value)) throw new Error(condition);
    return value;
  };

/** Comma-separated items. */
const list =
  <T>(parse: (text: string) => T) =>
  (value: string): readonly T[] =>
    value.split(',').flatMap((part) => (part.trim() ? [parse(part.trim())] : []));

const integer =
  (minimum: number, maximum: number, alternative = '') =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}${alternative}`);
    }
    return number;
  };

const MAX_WORKERS = 64;

/** A number of processes, or `auto`: one for each core. */
const workers = (value: string): number =>
  value === 'auto'
    ? Math.min(availableParallelism(), MAX_WORKERS)
    : integer(0, MAX_WORKERS, ', or auto: one for each core')(value);

const ratio = (value: string): number => {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) {
    throw new Error('must be a number from 0 to 1');
  }
  return number;
};

const boolean = (value: string): boolean => {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new Error('must be true or false');
};

const oneOf =
  <T extends string>(...choices: T[]) =>
  (value: string): T => {
    const choice = choices.find((candidate) => candidate === value);
    if (!choice) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };

const url =
  (...schemes: string[]) =>
  (value: string): string => {
    const scheme = URL.canParse(value) ? new URL(value).protocol : '';
    if (!schemes.includes(scheme)) {
      throw new Error(
        `must be an address that starts with ${schemes.map((s) => `${s}//`).join(' or ')}`,
      );
    }
    return value.replace(/\/+$/, '');
  };

const webAddress = url('http:', 'https:');

/** For an address that the log shows. */
const webAddressWithoutPassword = (value: string): string => {
  const address = webAddress(value);
  if (new URL(address).username || new URL(address).password) {
    throw new Error('must not contain a password; use OTEL_EXPORTER_OTLP_HEADERS');
  }
  return address;
};

/** A `name=value` pair, percent-encoded, as OpenTelemetry specifies. */
const headerPair = (value: string): readonly [string, Secret] => {
  const [, name, text] = /^([\w.-]+)=(.*)$/.exec(value) ?? [];
  if (!name || text === undefined) throw new Error('must be name=value pairs, comma-separated');
  return [name, new Secret(decodeURIComponent(text))];
};

/** Kept to the character: hosts compare it with the documents of the server. */
const issuer = (value: string): string => {
  webAddress(value);
  return value;
};

const tenantPair = (value: string): readonly [string, string] => {
  const at = value.lastIndexOf('=');
  if (at < 1 || at === value.length - 1)
    throw new Error('must be value=slug pairs, comma-separated');
  return [value.slice(0, at), value.slice(at + 1)];
};

const MAX_DIRECTORIES = 16;

const directories = (value: string): readonly string[] => {
  const paths = list(resolve)(value);
  if (paths.length > MAX_DIRECTORIES) {
    throw new Error(`must name at most ${MAX_DIRECTORIES} directories`);
  }
  return [...new Set(paths)];
};

const origin = (value: string): string => {
  if (!URL.canParse(value) || new URL(value).origin !== value) {
    throw new Error(`"${value}" is not an origin such as https://app.example.com`);
  }
  return value;
};

const encryptionKey = textThat(
  (value) => Buffer.from(value, 'base64').length === 32,
  'must be 32 bytes in base64. Create one with: openssl rand -base64 32',
);

const apiKey = textThat(
  isApiKeyText,
  'must be tg_live_ followed by 43 letters and digits. Unset it, and the first start creates a key',
);

const MAX_PASSWORD_LENGTH = 128;

const password = textThat(
  (value) => value.length <= MAX_PASSWORD_LENGTH,
  `must have at most ${MAX_PASSWORD_LENGTH} characters`,
);

const email = textThat(
  (value) => /^[^\s@]+@[^\s@]+$/.test(value) && value.length <= 254,
  'must be an e-mail address',
);

const MIB = 1024 * 1024;

/** Every setting of the gateway, by the name of its environment variable. */
export const SETTINGS = {
  HOST: setting(text, '127.0.0.1').means('Address to listen on.'),
  PORT: setting(integer(0, 65_535), 8080).means('Port to listen on; 0 = any free port.'),
  BASE_URL: optional(webAddress).means(
    'Address at which clients reach the gateway. Default: computed from HOST and PORT.',
  ),
  ADMIN_URL: optional(webAddress).means(
    'Address of the administration dashboard. Default: BASE_URL/admin.',
  ),
  DATA_DIR: setting(resolve, resolve('data')).means(
    'Directory of the embedded database and the audit log. With start --sandbox, ./data-sandbox unless set.',
  ),
  DISK_RESERVE_BYTES: setting(integer(0, 1024 * 1024 * MIB), 16 * MIB).means(
    'Free disk space for DATA_DIR below which calls are refused, so that running calls can still be recorded; 0 = no reserve.',
  ),
  DATABASE_URL: secret(url('postgres:', 'postgresql:')).means(
    'PostgreSQL server. Default: embedded SQLite in DATA_DIR.',
  ),
  REDIS_URL: secret(url('redis:', 'rediss:')).means(
    'Redis or Valkey server for the cache and limits. Default: memory of this process.',
  ),
  REDIS_KEY_PREFIX: setting(text, 'tool-gateway:').means(
    'Prefix of every Redis key, so that installations can share a server.',
  ),
  PRESETS_DIR: setting(resolve, join(PACKAGE_ROOT, 'presets')).means(
    'Directory of the preset definition files. Default: the directory of this release.',
  ),
  PRESETS_EXTRA_DIRS: setting(directories, []).means(
    'Directories of further preset definition files, comma-separated, which are loaded beside the files in PRESETS_DIR.',
  ),
  PRESETS_LENIENT: setting(boolean, false).means(
    'Skip an invalid preset file instead of refusing to start.',
  ),
  ENCRYPTION_KEY: secret(encryptionKey).means(
    'Key (32 bytes, base64) that encrypts stored credentials. Default: created in DATA_DIR; with DATABASE_URL, credentials cannot be stored without it.',
  ),
  ENCRYPTION_KEY_PREVIOUS: setting(
    list((key) => new Secret(encryptionKey(key))),
    [],
    { isSecret: true },
  ).means(
    'Former values of ENCRYPTION_KEY, comma-separated, that still decrypt, until "tool-gateway secrets rotate" has run.',
  ),
  BOOTSTRAP_API_KEY: secret(apiKey).means(
    'First API key of tenant "default". Default: created, and shown once on a terminal or written to DATA_DIR/first-api-key.',
  ),
  ADMIN_EMAIL: optional(email).means(
    'E-mail address of the first administrator, who is created at the first start. Default: admin@localhost.',
  ),
  ADMIN_PASSWORD: secret(password).means(
    'Password of the first administrator. Later changes have no effect. Default: created, and shown once on a terminal or written to DATA_DIR/admin-password.',
  ),
  OIDC_ISSUER: optional(webAddress).means(
    'Issuer of an OpenID Connect provider, with which people may sign in to the dashboard. Needs BASE_URL, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
  ),
  OIDC_CLIENT_ID: optional(text).means('Client id at the OIDC_ISSUER.'),
  OIDC_CLIENT_SECRET: secret(text).means('Client secret at the OIDC_ISSUER.'),
  OAUTH: optional(oneOf('on', 'off')).means(
    'Whether MCP hosts without a field for an API key may let a person sign in: on or off. Default: on if BASE_URL is https or this machine, and without BASE_URL if HOST is this machine.',
  ),
  OAUTH_CLIENTS: setting(oneOf('any', 'known', 'off'), 'any').means(
    'Which hosts may ask a person: any; known = hosts of well-known sites, and hosts that an operator created; off = only the latter.',
  ),
  OAUTH_CLIENT_DOCUMENTS: setting(oneOf('on', 'off'), 'on').means(
    'Whether a host may be known by a document that its site publishes, which the gateway fetches. Set off if it has no way to the internet: hosts then register themselves.',
  ),
  OAUTH_ISSUER: optional(issuer).means(
    'Issuer of an authorization server of your own, whose access tokens hosts send in place of the tokens of the gateway. Needs OAUTH_AUDIENCE and OAUTH_TENANT_CLAIM.',
  ),
  OAUTH_AUDIENCE: optional(text).means('Audience that access tokens of OAUTH_ISSUER must have.'),
  OAUTH_TENANT_CLAIM: optional(text).means(
    'Claim of such an access token that names a tenant: by its slug or, with OAUTH_TENANT_MAP, by a value there.',
  ),
  OAUTH_TENANT_MAP: setting(list(tenantPair), []).means(
    'Slugs of tenants by the values of OAUTH_TENANT_CLAIM: value=slug, comma-separated. No other value opens a tenant.',
  ),
  OAUTH_GRANT_DAYS: setting(integer(1, 3650), 90).means(
    'How long a person may connect a host for, in days.',
  ),
  OAUTH_REFRESH_GRACE_SECONDS: setting(integer(0, 3600), 600).means(
    'How long a refresh token still works after it was replaced: some hosts refresh in parallel, and would be disconnected without it.',
  ),
  SSE_KEEPALIVE_MS: setting(integer(100, 600_000), 15_000).means(
    'Interval between keepalive comments on event streams.',
  ),
  SSE_MAX_BUFFER_BYTES: setting(integer(1024, 1024 * MIB), MIB).means(
    'Unsent data at which the stream of a slow client is closed.',
  ),
  MCP_CONTENT_MAX_CHARACTERS: setting(integer(500, 1024 * MIB), 24_000).means(
    'Characters of a result that MCP clients get as text for their model, cut at whole rows.',
  ),
  UPSTREAM_CONTACT: optional(contact).means(
    'Where providers reach the operator of the gateway: an e-mail address, or an address that starts with http:// or https://. Requests of presets name it; some providers refuse requests without. Default: BASE_URL if that is https, else none.',
  ),
  UPSTREAM_TIMEOUT_MS: setting(integer(1, 600_000), 10_000).means(
    'Deadline for the whole upstream call, including retries.',
  ),
  UPSTREAM_MAX_BYTES: setting(integer(1024, 1024 * MIB), 10 * MIB).means(
    'Largest upstream response, after decompression.',
  ),
  UPSTREAM_CONCURRENCY: setting(integer(1, 10_000), 64).means(
    'Concurrent requests to one upstream origin. As many again may wait for each tenant.',
  ),
  WRITE_TIMEOUT_MS: setting(integer(100, 3_600_000), 30_000).means(
    'How long a client may leave data unread before its connection is closed.',
  ),
  MAX_CONNECTIONS: setting(integer(1, 1_000_000), 5000).means(
    'Open connections in total; fewer if the process may not open that many files. Half as many may be streams of one tenant.',
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(integer(1, 1_000_000), 1024).means(
    'Open connections from one client address or IPv6 /64. This machine and trusted proxies may open more.',
  ),
  MAX_BODY_BYTES: setting(integer(1024, 1024 * MIB), MIB).means('Largest request body.'),
  REGISTRATION_MAX_BYTES: setting(integer(1024, 20 * MIB), 20 * MIB).means(
    'Largest API description that a tenant may register, sent or fetched.',
  ),
  RATE_LIMIT_PER_MINUTE: setting(integer(0, 10_000_000), 600).means(
    'Requests per minute for one API key, and the most that the admins of a tenant may give a key; 0 = no limit.',
  ),
  TENANT_RATE_LIMIT_PER_MINUTE: optional(integer(0, 100_000_000)).means(
    'Requests per minute for all API keys of one tenant together; 0 = no limit. Default: ten times RATE_LIMIT_PER_MINUTE.',
  ),
  AUTH_FAILURES_PER_MINUTE: setting(integer(0, 1_000_000), 30).means(
    'Failed authentications per minute from one address before it gets 429; 0 = no limit.',
  ),
  TRUST_PROXY: optional(parseTrustProxy).means(
    'Proxies whose X-Forwarded-For is trusted: how many are in front of the gateway (1), or their addresses and networks, comma-separated (10.0.0.0/8, 192.168.1.5, loopback, linklocal, uniquelocal). Default: none.',
  ),
  MEMORY_LIMIT_BYTES: optional(integer(128 * MIB, 1024 * 1024 * MIB)).means(
    'Memory that the gateway may use. Three sixteenths of it are for bodies, responses and the cache. Default: the memory of its container or machine.',
  ),
  CACHE_MAX_BYTES: setting(integer(0, 1024 * 1024 * MIB), 32 * MIB).means(
    'Size of the in-process cache; at most half of the memory for bodies, responses and the cache. What one tenant has beyond half of it gives way first.',
  ),
  CACHE_STALE_SECONDS: setting(integer(0, 30 * 86_400), 3600).means(
    'How long after its expiry a good response of a registered API may still replace the response of a failed upstream. Of presets, x-last-good says it.',
  ),
  LAST_GOOD_MAX_BYTES: setting(integer(0, 64 * 1024 * MIB), 256 * MIB).means(
    'Size of the last good responses of presets in the database, compressed. What one tenant has beyond half of it goes first, then the least recently asked; 0 keeps none.',
  ),
  LAST_GOOD_MAX_ANSWER_BYTES: setting(integer(1024, 64 * MIB), MIB).means(
    'A larger response is not kept as a last good one.',
  ),
  RESULTS_MAX_BYTES: setting(integer(0, 64 * 1024 * MIB), 256 * MIB).means(
    'Size of whole answers in the database, compressed, each kept for an hour as a file. What one tenant has beyond half of it goes first, then the oldest; 0 keeps none.',
  ),
  AUDIT_RETENTION_DAYS: setting(integer(0, 36_500), 90).means(
    'Age at which audit records are deleted; 0 = never.',
  ),
  AUDIT_FSYNC: setting(boolean, false).means(
    'Keep audit records through a power cut, at the price of slower calls.',
  ),
  AUDIT_OUTBOX_MAX_RECORDS: setting(integer(1000, 1_000_000_000), 5_000_000).means(
    'Audit records stored locally while PostgreSQL is away. Beyond them, calls are refused.',
  ),
  METRICS_PORT: setting(integer(0, 65_535), 0).means(
    'Port on METRICS_HOST that serves Prometheus metrics at /metrics; 0 = off.',
  ),
  METRICS_HOST: optional(text).means('Address on which METRICS_PORT listens. Default: HOST.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(webAddressWithoutPassword).means(
    'OpenTelemetry collector that gets a span for every tool call, at /v1/traces below this address, with OTLP over HTTP. Default: no spans.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(list(headerPair), []).means(
    'Headers of requests to the collector: name=value, comma-separated, percent-encoded.',
  ),
  OTEL_SERVICE_NAME: setting(text, 'tool-gateway').means('Name of this service in its spans.'),
  OTEL_TRACES_SAMPLER_ARG: setting(ratio, 1).means(
    'Part of the calls that get a span, 0 to 1. A call whose caller sends a traceparent follows its flag instead.',
  ),
  DRAIN_NOTICE_MS: setting(integer(0, 600_000), 1500).means(
    'How long the gateway keeps serving after SIGTERM, while `/health/serving` is 503 and responses ask clients to close their connection. Longer than a load balancer takes to notice.',
  ),
  WORKERS: setting(workers, 0).means(
    'Processes that serve PORT together, at most 64; auto = one for each core; 0 = a single process. Needs DATABASE_URL and REDIS_URL.',
  ),
  SHUTDOWN_GRACE_MS: setting(integer(0, 600_000), 10_000).means(
    'How long running calls may take at shutdown.',
  ),
  LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
  ).means('Least severe level that is logged.'),
  LOG_FORMAT: optional(oneOf('json', 'pretty')).means(
    'Form of log lines. Default: pretty if standard error is a terminal, else json.',
  ),
  ACCESS_LOG: setting(boolean, false).means(
    'Write a log line of level info for every request: method, path without query, status, duration, bytes, client address, id of the API key, request id.',
  ),
  ALLOWED_ORIGINS: setting(list(origin), []).means(
    'Browser origins that may call the gateway, comma-separated.',
  ),
  ALLOW_PRIVATE_UPSTREAMS: setting(boolean, false).means(
    'Let registered APIs use upstreams in private networks.',
  ),
} as const;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T>
    ? T
    : never;
};

/** Reads every setting once. An empty variable counts as unset. Throws SettingsError that lists every invalid setting. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const issues: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, definition]: [string, Setting<unknown>]) => {
    try {
      const raw = definition.isSecret ? readSecretText(environment, name) : environment[name];
      if (raw === undefined || raw === '') return [name, definition.default];
      return [name, definition.parse(raw)];
    } catch (error) {
      issues.push(describeIssue(name, error));
      return [name, definition.default];
    }
  });
  if (issues.length > 0) throw new SettingsError(issues.join('\n'));
  return Object.freeze(Object.fromEntries(entries)) as Settings;
}

/** What people call a setting by mistake: each name of the environment that is nearly one, and the setting. */
export function misspeltSettings(
  environment: NodeJS.ProcessEnv,
): readonly (readonly [name: string, setting: string])[] {
  const settings = new Set(
    Object.entries(SETTINGS).flatMap(([name, setting]) =>
      'isSecret' in setting ? [name, `${name}_FILE`] : [name],
    ),
  );
  return Object.keys(environment).flatMap((name) => {
    if (name.length < MIN_MISSPELT_LENGTH || settings.has(name)) return [];
    const meant = closest(name, settings);
    return meant === undefined ? [] : [[name, meant] as const];
  });
}

/** Shorter names are near too many that are of other programs. */
const MIN_MISSPELT_LENGTH = 7;

function describeIssue(name: string, error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  return `${name} ${error instanceof Error ? error.message : 'is not valid'}.`;
}

/**
 * Upstream secrets by the environment variable that `x-secret` names. Only names in presets are read. The process
 * environment is never searched.
 */
export type SecretSource = (name: string) => Secret | undefined;

/** Reads each secret once: its variable or its file. The source throws SettingsError for a file that cannot be used. */
export function secretsFromEnvironment(environment: NodeJS.ProcessEnv): SecretSource {
  const known = new Map<string, Secret | undefined>();
  return (name) => {
    if (!known.has(name)) {
      const value = readSecretText(environment, name);
      known.set(name, value ? new Secret(value) : undefined);
    }
    return known.get(name);
  };
}
