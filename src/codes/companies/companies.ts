import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { COMPANY_LIMITS } from './company.ts';
import { printOrigin, readCompanyFile, writeCompanyFile } from './company-file.ts';
import { type CompanyTable, openCompanyTable } from './company-table.ts';
import { createPacker, type PackerOptions } from './packer.ts';

export interface CompaniesDeps extends PackerOptions {
  /** The file in which the list is kept. */
  readonly path: string;
  /** The address of the list, without its key. A list of another address is not used. */
  readonly source: string;
  /** The key with which the list is fetched, under the name by which operators know it. */
  readonly keyName: string;
  readonly key: () => Secret | undefined;
  /** Fetches the ZIP. Rejects with GatewayErrors that do not name the key. */
  readonly fetchZip: () => Promise<Buffer>;
  readonly clock: Clock;
  /** How long a caller waits for the list, in milliseconds. */
  readonly waitMs: number;
  readonly onFetched: (companies: number) => void;
  /** Called if the list could not be fetched, or not be kept. Must not throw. */
  readonly onFailed: (error: GatewayError) => void;
}

/** The list of companies, which is fetched when it is first needed. */
export interface Companies extends Closeable {
  /** The name of the key without which the list is not fetched. */
  readonly keyName: string;
  /**
   * The list that is in use; an old one until a new one has been fetched. Rejects with `missing_secret` without a key,
   * with `upstream_timeout` if the list does not arrive in time, and with the error of the last attempt.
   */
  table(): Awaitable<CompanyTable>;
}

interface Failure {
  readonly error: GatewayError;
  readonly untilMs: number;
  readonly key: Secret | undefined;
}

/** Creates the list. Nothing is read or fetched before the first caller. One fetch at a time serves all of them. */
export function createCompanies(deps: CompaniesDeps): Companies {
  const { clock, path, source } = deps;
  const packer = createPacker(deps);
  let current: { readonly table: CompanyTable; readonly fetchedAtMs: number } | undefined;
  let reading: Promise<void> | undefined;
  let fetching: Promise<void> | undefined;
  let writing: Promise<void> | undefined;
  let failure: Failure | undefined;
  let isClosed = false;

  /** A fetch that is cut off by the shutdown is no failure. */
  function fail(error: GatewayError): void {
    if (!isClosed) deps.onFailed(error);
  }

  /** Takes the file of an earlier start into use. */
  async function readKept(): Promise<void> {
    const kept = await readCompanyFile(path);
    const packed =
      kept?.source === source && (await packer.pack({ bytes: kept.bytes }).catch(() => undefined));
    if (kept && packed && packed.count > 0) {
      current = { table: openCompanyTable(packed), fetchedAtMs: kept.fetchedAtMs };
    }
  }

  async function fetchList(): Promise<void> {
    const key = deps.key();
    try {
      const zip = await deps.fetchZip();
      const fetchedAtMs = clock.now();
      const packed = await packer.pack({ bytes: zip, head: printOrigin({ source, fetchedAtMs }) });
      current = { table: openCompanyTable(packed), fetchedAtMs };
      failure = undefined;
      deps.onFetched(packed.count);
      writing = writeCompanyFile(path, packed.bytes).catch((error) => fail(notKept(error)));
      await writing;
    } catch (cause) {
      const error = toGatewayError(cause);
      failure = { error, untilMs: clock.now() + COMPANY_LIMITS.retryMs, key };
      fail(error);
    }
  }

  const isFresh = (): boolean =>
    current !== undefined && Math.abs(clock.now() - current.fetchedAtMs) < COMPANY_LIMITS.refreshMs;

  /** A changed key may do what the one before could not. */
  const mayFetch = (): boolean =>
    deps.key() !== undefined &&
    !(failure && failure.key === deps.key() && clock.now() < failure.untilMs);

  function refresh(): void {
    if (isFresh() || !mayFetch()) return;
    fetching ??= fetchList().finally(() => {
      fetching = undefined;
    });
  }

  /** Resolves once there is a list, or the attempt to get one has failed. */
  async function prepare(): Promise<void> {
    reading ??= readKept();
    await reading;
    refresh();
    if (!current) await fetching;
  }

  function table(): Awaitable<CompanyTable> {
    if (!current) return within(prepare(), deps.waitMs).then(preparedTable);
    refresh();
    return current.table;
  }

  async function preparedTable(): Promise<CompanyTable> {
    if (current) return current.table;
    throw deps.key() && failure ? failure.error : missingKey(deps.keyName);
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([packer.close(), writing]);
  }

  return { keyName: deps.keyName, table, close };
}

/** Rejects with `upstream_timeout` if a promise takes longer. */
async function within<T>(promise: Promise<T>, waitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(notReady()), waitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const notReady = (): GatewayError =>
  new GatewayError(
    'upstream_timeout',
    'The list of companies is not ready yet: it is still being fetched. Retry in a minute.',
  );

const missingKey = (keyName: string): GatewayError =>
  new GatewayError(
    'missing_secret',
    `Companies are found in a list that the gateway fetches with ${keyName}, which has no value: the operator of this gateway must set it. The eight-digit code of a company can be used without the list.`,
  );

const notKept = (cause: unknown): GatewayError =>
  new GatewayError('internal', 'The list of companies could not be written to DATA_DIR.', {
    cause,
  });
