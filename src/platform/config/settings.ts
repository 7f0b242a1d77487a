import { resolve } from 'node:path';
import { Secret } from '../kernel/secret.ts';
import { parseTrustProxy, type TrustedProxies } from './trust-proxy.ts';

/** One setting: how to read it, what it is when unset, and what it means. docs/config.md lists the same. */
interface Setting<T> {
  readonly parse: (text: string) => T;
  readonly default: T;
  readonly meaning: string;
}

const setting = <T>(parse: (text: string) => T, fallback: T, meaning: string): Setting<T> => ({
  parse,
  default: fallback,
  meaning,
});

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
        `must be an address beginning with ${schemes.map((s) => `${s}//`).join(' or ')}`,
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

const directory = (value: string): string => resolve(value);

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
  if (Buffer.from(value, 'base64').length !== 32) throw new Error('must be 32 bytes in base64');
  return new Secret(value);
};

const apiKey = (value: string): Secret => {
  if (!/^tg_live_[0-9A-Za-z]{43}$/.test(value)) {
    throw new Error('must be tg_live_ followed by 43 letters and digits');
  }
  return new Secret(value);
};

const secret = (value: string): Secret => new Secret(value);

const secretUrl =
  (...schemes: string[]) =>
  (value: string): Secret =>
    new Secret(url(...schemes)(value));

const none = undefined;
const MIB = 1024 * 1024;

/** Every setting of the gateway, by its environment name. */
export const SETTINGS = {
  HOST: setting(text, '127.0.0.1', 'Address to listen on.'),
  PORT: setting(integer(0, 65_535), 8080, 'Port to listen on; 0 takes a free one.'),
  BASE_URL: setting<string | undefined>(
    url('http:', 'https:'),
    none,
    'Address under which clients reach the gateway; worked out from HOST and PORT when unset.',
  ),
  ADMIN_URL: setting<string | undefined>(
    url('http:', 'https:'),
    none,
    'Address of the administration dashboard; BASE_URL/admin when unset.',
  ),
  DATA_DIR: setting(
    directory,
    resolve('data'),
    'Directory for the embedded database and audit log.',
  ),
  DISK_RESERVE_BYTES: setting(
    integer(0, 1024 * 1024 * MIB),
    16 * MIB,
    'Free room on the disk of DATA_DIR below which calls are refused, so that those under way can be recorded; 0 = none.',
  ),
  DATABASE_URL: setting<Secret | undefined>(
    secretUrl('postgres:', 'postgresql:'),
    none,
    'PostgreSQL server; embedded SQLite in DATA_DIR when unset.',
  ),
  REDIS_URL: setting<Secret | undefined>(
    secretUrl('redis:', 'rediss:'),
    none,
    'Redis or Valkey server for cache and limits; in process when unset.',
  ),
  REDIS_KEY_PREFIX: setting(
    text,
    'tool-gateway:',
    'Begins every Redis key, so that installations can share a server.',
  ),
  PRESETS_DIR: setting(directory, resolve('presets'), 'Directory of preset definition files.'),
  PRESETS_LENIENT: setting(boolean, false, 'Leave a faulty preset file out instead of stopping.'),
  ENCRYPTION_KEY: setting<Secret | undefined>(
    encryptionKey,
    none,
    'Key (32 bytes, base64) that stored credentials are encrypted with; made in DATA_DIR when unset.',
  ),
  BOOTSTRAP_API_KEY: setting<Secret | undefined>(
    apiKey,
    none,
    'First API key of tenant "default"; made and printed once when unset.',
  ),
  ADMIN_EMAIL: setting<string | undefined>(
    text,
    none,
    'E-mail address of the first administrator.',
  ),
  ADMIN_PASSWORD: setting<Secret | undefined>(secret, none, 'Password of the first administrator.'),
  SSE_KEEPALIVE_MS: setting(integer(100, 600_000), 15_000, 'Interval of keepalive comments.'),
  SSE_MAX_BUFFER_BYTES: setting(
    integer(1024, 1024 * MIB),
    MIB,
    'Unsent data at which a slow client stream is dropped.',
  ),
  MCP_CONTENT_MAX_BYTES: setting(
    integer(256, 1024 * MIB),
    64 * 1024,
    'Data that MCP clients get as text for their model; structuredContent is never cut.',
  ),
  UPSTREAM_TIMEOUT_MS: setting(
    integer(1, 600_000),
    10_000,
    'Deadline for the whole upstream call, retries included.',
  ),
  UPSTREAM_MAX_BYTES: setting(
    integer(1024, 1024 * MIB),
    10 * MIB,
    'Largest upstream answer, after decompression.',
  ),
  UPSTREAM_CONCURRENCY: setting(
    integer(1, 10_000),
    64,
    'Requests under way to one upstream origin; as many again may wait for each tenant.',
  ),
  WRITE_TIMEOUT_MS: setting(
    integer(100, 3_600_000),
    30_000,
    'How long a client may take nothing of what it was sent before its connection is cut.',
  ),
  MAX_CONNECTIONS: setting(
    integer(1, 1_000_000),
    5000,
    'Open connections in all; fewer where the process may not open as many files.',
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    integer(1, 1_000_000),
    1024,
    'Open connections of one client address, or of one IPv6 /64; this machine and trusted proxies may open more.',
  ),
  MAX_BODY_BYTES: setting(integer(1024, 1024 * MIB), MIB, 'Largest request body.'),
  RATE_LIMIT_PER_MINUTE: setting(
    integer(0, 10_000_000),
    600,
    'Requests a minute for one API key; 0 = no limit.',
  ),
  AUTH_FAILURES_PER_MINUTE: setting(
    integer(0, 1_000_000),
    30,
    'Failed authentications a minute from one address before it gets 429; 0 = no limit.',
  ),
  TRUST_PROXY: setting<TrustedProxies | undefined>(
    parseTrustProxy,
    none,
    'Proxies whose X-Forwarded-For is believed: how many are in front of the gateway (1), or their addresses and networks, comma-separated (10.0.0.0/8, 192.168.1.5, loopback, linklocal, uniquelocal); nobody when unset.',
  ),
  MEMORY_LIMIT_BYTES: setting<number | undefined>(
    integer(128 * MIB, 1024 * 1024 * MIB),
    none,
    'Memory that the gateway may use; that of its container or machine when unset. Three sixteenths of it are for bodies, responses and the cache.',
  ),
  CACHE_MAX_BYTES: setting(
    integer(0, 1024 * 1024 * MIB),
    32 * MIB,
    'Size of the in-process cache; at most half of the memory for bodies and answers.',
  ),
  CACHE_STALE_SECONDS: setting(
    integer(0, 30 * 86_400),
    3600,
    'How long after its expiry a good answer may still stand in for a failed upstream.',
  ),
  AUDIT_RETENTION_DAYS: setting(
    integer(0, 36_500),
    90,
    'Age at which audit records are deleted; 0 = never.',
  ),
  AUDIT_FSYNC: setting(boolean, false, 'Survive a power cut too, at the price of slower calls.'),
  AUDIT_OUTBOX_MAX_RECORDS: setting(
    integer(1000, 1_000_000_000),
    5_000_000,
    'Records kept locally while PostgreSQL is away; calls are refused beyond it.',
  ),
  METRICS_PORT: setting(
    integer(0, 65_535),
    0,
    'Port on HOST that serves Prometheus metrics at /metrics; 0 = off.',
  ),
  SHUTDOWN_GRACE_MS: setting(
    integer(0, 600_000),
    10_000,
    'How long calls under way may take at shutdown.',
  ),
  LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Least severe log lines to write.',
  ),
  ALLOWED_ORIGINS: setting<readonly string[]>(
    origins,
    [],
    'Browser origins that may call the gateway, comma-separated.',
  ),
  ALLOW_PRIVATE_UPSTREAMS: setting(
    boolean,
    false,
    'Let registered APIs point into private networks.',
  ),
} as const;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T>
    ? T
    : never;
};

/** Thrown for bad settings; the message names each one and what would be right, never the value. */
export class SettingsError extends Error {}

/** Reads every setting once; an empty variable counts as unset. Throws SettingsError naming all faults. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const faults: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, definition]) => {
    const raw = environment[name];
    if (raw === undefined || raw === '') return [name, definition.default];
    try {
      return [name, definition.parse(raw)];
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : 'is not valid'}.`);
      return [name, definition.default];
    }
  });
  if (faults.length > 0) throw new SettingsError(faults.join('\n'));
  return Object.freeze(Object.fromEntries(entries)) as Settings;
}

/**
 * Upstream secrets by environment name, as `x-secret` names them. Only names that a preset asks for are read;
 * the process environment is never searched.
 */
export type SecretSource = (name: string) => Secret | undefined;

export function secretsFromEnvironment(environment: NodeJS.ProcessEnv): SecretSource {
  const known = new Map<string, Secret | undefined>();
  return (name) => {
    if (!known.has(name)) {
      const value = environment[name];
      known.set(name, value ? new Secret(value) : undefined);
    }
    return known.get(name);
  };
}
