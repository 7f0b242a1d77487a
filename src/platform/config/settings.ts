import { join, resolve } from 'node:path';
import { isApiKeyText } from '../kernel/ids.ts';
import { PACKAGE_ROOT } from '../kernel/package-root.ts';
import { Secret } from '../kernel/secret.ts';
import { readSecretText } from './secret-text.ts';
import { SettingsError } from './settings-error.ts';
import { parseTrustProxy, type TrustedProxies } from './trust-proxy.ts';

/** One setting: its parser, its default and its meaning. docs/config.md is generated from it. */
interface Setting<T> {
  readonly parse: (text: string) => T;
  readonly default: T;
  readonly meaning: string;
  /** It may also be in the file that `NAME_FILE` names. */
  readonly isSecret?: true;
}

const setting = <T>(parse: (text: string) => T, fallback: T, meaning: string): Setting<T> => ({
  parse,
  default: fallback,
  meaning,
});

const secretSetting = <T>(
  parse: (text: string) => T,
  fallback: T,
  meaning: string,
): Setting<T> => ({ ...setting(parse, fallback, meaning), isSecret: true });

const text = (value: string): string => value;

const integer =
  (minimum: number, maximum: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };

const boolean = (value: string): boolean => {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new Error('must be true or false');
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

const oneOf =
  <T extends string>(...choices: T[]) =>
  (value: string): T => {
    const choice = choices.find((candidate) => candidate === value);
    if (!choice) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };

/** For an address that the log shows. */
const urlWithoutPassword = (value: string): string => {
  const address = url('http:', 'https:')(value);
  if (new URL(address).username || new URL(address).password) {
    throw new Error('must not contain a password; use OTEL_EXPORTER_OTLP_HEADERS');
  }
  return address;
};

const ratio = (value: string): number => {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) {
    throw new Error('must be a number from 0 to 1');
  }
  return number;
};

/** `name=value` pairs with commas between them, percent-encoded, as OpenTelemetry specifies. */
const headerPairs = (value: string): readonly (readonly [string, Secret])[] =>
  value.split(',').map((pair) => {
    const [, name, text] = /^\s*([\w.-]+)=(.*?)\s*$/.exec(pair) ?? [];
    if (!name || text === undefined) throw new Error('must be name=value pairs, comma-separated');
    return [name, new Secret(decodeURIComponent(text))];
  });

const directory = (value: string): string => resolve(value);

const MAX_DIRECTORIES = 16;

const directories = (value: string): readonly string[] => {
  const paths = value.split(',').flatMap((part) => (part.trim() ? [resolve(part.trim())] : []));
  if (paths.length > MAX_DIRECTORIES) {
    throw new Error(`must name at most ${MAX_DIRECTORIES} directories`);
  }
  return [...new Set(paths)];
};

const origins = (value: string): readonly string[] =>
  value.split(',').flatMap((part) => {
    const origin = part.trim();
    if (!origin) return [];
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(`"${origin}" is not an origin such as https://app.example.com`);
    }
    return [origin];
  });

const encryptionKey = (value: string): Secret => {
  if (Buffer.from(value, 'base64').length !== 32) {
    throw new Error('must be 32 bytes in base64. Create one with: openssl rand -base64 32');
  }
  return new Secret(value);
};

const encryptionKeys = (value: string): readonly Secret[] =>
  value.split(',').map((key) => encryptionKey(key.trim()));

const apiKey = (value: string): Secret => {
  if (!isApiKeyText(value)) {
    throw new Error(
      'must be tg_live_ followed by 43 letters and digits. Unset it, and the first start creates a key',
    );
  }
  return new Secret(value);
};

const secret = (value: string): Secret => new Secret(value);

const MAX_PASSWORD_LENGTH = 128;

const password = (value: string): Secret => {
  if (value.length > MAX_PASSWORD_LENGTH) {
    throw new Error(`must have at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  return new Secret(value);
};

const email = (value: string): string => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254) {
    throw new Error('must be an e-mail address');
  }
  return value;
};

const secretUrl =
  (...schemes: string[]) =>
  (value: string): Secret =>
    new Secret(url(...schemes)(value));

const none = undefined;
const MIB = 1024 * 1024;

/** Every setting of the gateway, by the name of its environment variable. */
export const SETTINGS = {
  HOST: setting(text, '127.0.0.1', 'Address to listen on.'),
  PORT: setting(integer(0, 65_535), 8080, 'Port to listen on; 0 = any free port.'),
  BASE_URL: setting<string | undefined>(
    url('http:', 'https:'),
    none,
    'Address at which clients reach the gateway. Default: computed from HOST and PORT.',
  ),
  ADMIN_URL: setting<string | undefined>(
    url('http:', 'https:'),
    none,
    'Address of the administration dashboard. Default: BASE_URL/admin.',
  ),
  DATA_DIR: setting(
    directory,
    resolve('data'),
    'Directory of the embedded database and the audit log. With start --sandbox, ./data-sandbox unless set.',
  ),
  DISK_RESERVE_BYTES: setting(
    integer(0, 1024 * 1024 * MIB),
    16 * MIB,
    'Free disk space for DATA_DIR below which calls are refused, so that running calls can still be recorded; 0 = no reserve.',
  ),
  DATABASE_URL: secretSetting<Secret | undefined>(
    secretUrl('postgres:', 'postgresql:'),
    none,
    'PostgreSQL server. Default: embedded SQLite in DATA_DIR.',
  ),
  REDIS_URL: secretSetting<Secret | undefined>(
    secretUrl('redis:', 'rediss:'),
    none,
    'Redis or Valkey server for the cache and limits. Default: memory of this process.',
  ),
  REDIS_KEY_PREFIX: setting(
    text,
    'tool-gateway:',
    'Prefix of every Redis key, so that installations can share a server.',
  ),
  PRESETS_DIR: setting(
    directory,
    join(PACKAGE_ROOT, 'presets'),
    'Directory of the preset definition files. Default: those of this release.',
  ),
  PRESETS_EXTRA_DIRS: setting<readonly string[]>(
    directories,
    [],
    'Directories of further preset definition files, comma-separated, which are loaded beside those of PRESETS_DIR.',
  ),
  PRESETS_LENIENT: setting(
    boolean,
    false,
    'Skip an invalid preset file instead of refusing to start.',
  ),
  ENCRYPTION_KEY: secretSetting<Secret | undefined>(
    encryptionKey,
    none,
    'Key (32 bytes, base64) that encrypts stored credentials. Default: created in DATA_DIR; with DATABASE_URL, credentials cannot be stored without it.',
  ),
  ENCRYPTION_KEY_PREVIOUS: secretSetting<readonly Secret[]>(
    encryptionKeys,
    [],
    'Former values of ENCRYPTION_KEY, comma-separated, that still decrypt, until "tool-gateway secrets rotate" has run.',
  ),
  BOOTSTRAP_API_KEY: secretSetting<Secret | undefined>(
    apiKey,
    none,
    'First API key of tenant "default". Default: created, and shown once on a terminal or written to DATA_DIR/first-api-key.',
  ),
  ADMIN_EMAIL: setting<string | undefined>(
    email,
    none,
    'E-mail address of the first administrator, who is created at the first start. Default: admin@localhost.',
  ),
  ADMIN_PASSWORD: secretSetting<Secret | undefined>(
    password,
    none,
    'Password of the first administrator. Later changes have no effect. Default: created, and shown once on a terminal or written to DATA_DIR/admin-password.',
  ),
  OIDC_ISSUER: setting<string | undefined>(
    url('http:', 'https:'),
    none,
    'Issuer of an OpenID Connect provider, with which people may sign in to the dashboard. Needs BASE_URL, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
  ),
  OIDC_CLIENT_ID: setting<string | undefined>(text, none, 'Client id at the OIDC_ISSUER.'),
  OIDC_CLIENT_SECRET: secretSetting<Secret | undefined>(
    secret,
    none,
    'Client secret at the OIDC_ISSUER.',
  ),
  SSE_KEEPALIVE_MS: setting(
    integer(100, 600_000),
    15_000,
    'Interval between keepalive comments on event streams.',
  ),
  SSE_MAX_BUFFER_BYTES: setting(
    integer(1024, 1024 * MIB),
    MIB,
    'Unsent data at which the stream of a slow client is closed.',
  ),
  MCP_CONTENT_MAX_CHARACTERS: setting(
    integer(500, 1024 * MIB),
    24_000,
    'Characters of a result that MCP clients get as text for their model, cut at whole rows.',
  ),
  UPSTREAM_TIMEOUT_MS: setting(
    integer(1, 600_000),
    10_000,
    'Deadline for the whole upstream call, including retries.',
  ),
  UPSTREAM_MAX_BYTES: setting(
    integer(1024, 1024 * MIB),
    10 * MIB,
    'Largest upstream response, after decompression.',
  ),
  UPSTREAM_CONCURRENCY: setting(
    integer(1, 10_000),
    64,
    'Concurrent requests to one upstream origin. As many again may wait for each tenant.',
  ),
  WRITE_TIMEOUT_MS: setting(
    integer(100, 3_600_000),
    30_000,
    'How long a client may leave data unread before its connection is closed.',
  ),
  MAX_CONNECTIONS: setting(
    integer(1, 1_000_000),
    5000,
    'Open connections in total; fewer if the process may not open that many files.',
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    integer(1, 1_000_000),
    1024,
    'Open connections from one client address or IPv6 /64. This machine and trusted proxies may open more.',
  ),
  MAX_BODY_BYTES: setting(integer(1024, 1024 * MIB), MIB, 'Largest request body.'),
  REGISTRATION_MAX_BYTES: setting(
    integer(1024, 20 * MIB),
    20 * MIB,
    'Largest API description that a tenant may register, sent or fetched.',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    integer(0, 10_000_000),
    600,
    'Requests per minute for one API key, and the most that the admins of a tenant may give a key; 0 = no limit.',
  ),
  TENANT_RATE_LIMIT_PER_MINUTE: setting<number | undefined>(
    integer(0, 100_000_000),
    none,
    'Requests per minute for all API keys of one tenant together; 0 = no limit. Default: ten times RATE_LIMIT_PER_MINUTE.',
  ),
  AUTH_FAILURES_PER_MINUTE: setting(
    integer(0, 1_000_000),
    30,
    'Failed authentications per minute from one address before it gets 429; 0 = no limit.',
  ),
  TRUST_PROXY: setting<TrustedProxies | undefined>(
    parseTrustProxy,
    none,
    'Proxies whose X-Forwarded-For is trusted: how many are in front of the gateway (1), or their addresses and networks, comma-separated (10.0.0.0/8, 192.168.1.5, loopback, linklocal, uniquelocal). Default: none.',
  ),
  MEMORY_LIMIT_BYTES: setting<number | undefined>(
    integer(128 * MIB, 1024 * 1024 * MIB),
    none,
    'Memory that the gateway may use. Three sixteenths of it are for bodies, responses and the cache. Default: the memory of its container or machine.',
  ),
  CACHE_MAX_BYTES: setting(
    integer(0, 1024 * 1024 * MIB),
    32 * MIB,
    'Size of the in-process cache; at most half of the memory for bodies, responses and the cache.',
  ),
  CACHE_STALE_SECONDS: setting(
    integer(0, 30 * 86_400),
    3600,
    'How long after its expiry a good response may still replace that of a failed upstream.',
  ),
  AUDIT_RETENTION_DAYS: setting(
    integer(0, 36_500),
    90,
    'Age at which audit records are deleted; 0 = never.',
  ),
  AUDIT_FSYNC: setting(
    boolean,
    false,
    'Keep audit records through a power cut, at the price of slower calls.',
  ),
  AUDIT_OUTBOX_MAX_RECORDS: setting(
    integer(1000, 1_000_000_000),
    5_000_000,
    'Audit records stored locally while PostgreSQL is away. Beyond them, calls are refused.',
  ),
  METRICS_PORT: setting(
    integer(0, 65_535),
    0,
    'Port on METRICS_HOST that serves Prometheus metrics at /metrics; 0 = off.',
  ),
  METRICS_HOST: setting<string | undefined>(
    text,
    none,
    'Address on which METRICS_PORT listens. Default: HOST.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting<string | undefined>(
    urlWithoutPassword,
    none,
    'OpenTelemetry collector that gets a span for every tool call, at /v1/traces below this address, with OTLP over HTTP. Default: no spans.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting<readonly (readonly [string, Secret])[]>(
    headerPairs,
    [],
    'Headers of requests to the collector: name=value, comma-separated, percent-encoded.',
  ),
  OTEL_SERVICE_NAME: setting(text, 'tool-gateway', 'Name of this service in its spans.'),
  OTEL_TRACES_SAMPLER_ARG: setting(
    ratio,
    1,
    'Part of the calls that get a span, 0 to 1. A call whose caller sends a traceparent follows its flag instead.',
  ),
  SHUTDOWN_GRACE_MS: setting(
    integer(0, 600_000),
    10_000,
    'How long running calls may take at shutdown.',
  ),
  LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Least severe level that is logged.',
  ),
  LOG_FORMAT: setting<'json' | 'pretty' | undefined>(
    oneOf('json', 'pretty'),
    none,
    'Form of log lines. Default: pretty if standard error is a terminal, else json.',
  ),
  ACCESS_LOG: setting(
    boolean,
    false,
    'Write a log line of level info for every request: method, path without query, status, duration, bytes, client address, id of the API key, request id.',
  ),
  ALLOWED_ORIGINS: setting<readonly string[]>(
    origins,
    [],
    'Browser origins that may call the gateway, comma-separated.',
  ),
  ALLOW_PRIVATE_UPSTREAMS: setting(
    boolean,
    false,
    'Let registered APIs use upstreams in private networks.',
  ),
} as const;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T>
    ? T
    : never;
};

export { SettingsError } from './settings-error.ts';

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
