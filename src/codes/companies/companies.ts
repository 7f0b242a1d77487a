import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { COMPANY_LIMITS } from './company.ts';
import { printOrigin, readCompanyFile, writeCompanyFile } from './company-file.ts';
import { type CompanyTable, openCompanyTable } from './company-table.ts';
import { createPacker, type PackerOptions } from './packer.ts';

/** Where the list is, and how it is fetched. */
export interface CompanySource {
  /** The address of the list, without its key. A list of another address is not used. */
  readonly source: string;
  /** The key with which the list is fetched, under the name by which operators know it. */
  readonly keyName: string;
  readonly key: () => Secret | undefined;
  /** Fetches the ZIP. Rejects with GatewayErrors that do not name the key. */
  readonly fetchZip: () => Promise<Buffer>;
}

export interface CompaniesDeps extends PackerOptions {
  /** The file in which the list is kept. */
  readonly path: string;
  /** The source as the presets are now; undefined if none has one. */
  readonly from: () => CompanySource | undefined;
  readonly clock: Clock;
  /** How long a caller waits for the list, in milliseconds. */
  readonly waitMs: number;
  readonly onFetched: (companies: number) => void;
  /** Called if the list could not be fetched, or not be kept. Must not throw. */
  readonly onFailed: (error: GatewayError) => void;
}

/** The list of companies, which is fetched when it is first needed. */
export interface Companies extends Closeable {
  /** The name of the key without which the list is not fetched; undefined if no preset has such a list. */
  readonly keyName: string | undefined;
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

/** What is known of the list of one source. */
interface Known {
  from: CompanySource;
  current?: { readonly table: CompanyTable; readonly fetchedAtMs: number } | undefined;
  reading?: Promise<void> | undefined;
  fetching?: Promise<void> | undefined;
  failure?: Failure | undefined;
}

/** Creates the list. Nothing is read or fetched before the first caller. One fetch at a time serves all of them. */
export function createCompanies(deps: CompaniesDeps): Companies {
  const { clock, path } = deps;
  const packer = createPacker(deps);
  let known: Known | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  /** A changed preset may have another list, or fetch the same one in another way. */
  function knownNow(): Known {
    const from = deps.from();
    if (!from) throw new GatewayError('internal', 'No preset has a list of companies.');
    if (known?.from.source === from.source) known.from = from;
    else known = { from };
    return known;
  }

  /** A fetch that is cut off by the shutdown is no failure. */
  function fail(error: GatewayError): void {
    if (!isClosed) deps.onFailed(error);
  }

  /** Takes the file of an earlier start into use. */
  async function readKept(into: Known): Promise<void> {
    const kept = await readCompanyFile(path);
    const packed =
      kept?.source === into.from.source &&
      (await packer.pack({ bytes: kept.bytes }).catch(() => undefined));
    if (kept && packed && packed.count > 0) {
      into.current = { table: openCompanyTable(packed), fetchedAtMs: kept.fetchedAtMs };
    }
  }

  async function fetchList(into: Known): Promise<void> {
    const { source, fetchZip, key: keyNow } = into.from;
    const key = keyNow();
    try {
      const zip = await fetchZip();
      const fetchedAtMs = clock.now();
      const packed = await packer.pack({ bytes: zip, head: printOrigin({ source, fetchedAtMs }) });
      into.current = { table: openCompanyTable(packed), fetchedAtMs };
      into.failure = undefined;
      deps.onFetched(packed.count);
      writing = keep(into, packed.bytes, writing);
      await writing;
    } catch (cause) {
      const error = toGatewayError(cause);
      into.failure = { error, untilMs: clock.now() + COMPANY_LIMITS.retryMs, key };
      fail(error);
    }
  }

  /** The file has the list of the newest source. */
  async function keep(list: Known, bytes: Uint8Array, earlier?: Promise<void>): Promise<void> {
    await earlier;
    if (list.from.source !== known?.from.source) return;
    await writeCompanyFile(path, bytes).catch((error) => fail(notKept(error)));
  }

  function refresh(list: Known): void {
    if (isFresh(list, clock.now()) || !mayFetch(list, clock.now())) return;
    list.fetching ??= fetchList(list).finally(() => {
      list.fetching = undefined;
    });
  }

  /** Resolves once there is a list, or the attempt to get one has failed. */
  async function prepare(list: Known): Promise<void> {
    list.reading ??= readKept(list);
    await list.reading;
    refresh(list);
    if (!list.current) await list.fetching;
  }

  return {
    get keyName() {
      return deps.from()?.keyName;
    },
    table: () => {
      const list = knownNow();
      if (!list.current) return within(prepare(list), deps.waitMs).then(() => tableOf(list));
      refresh(list);
      return list.current.table;
    },
    close: async () => {
      isClosed = true;
      await Promise.all([packer.close(), writing]);
    },
  };
}

const isFresh = ({ current }: Known, nowMs: number): boolean =>
  current !== undefined && Math.abs(nowMs - current.fetchedAtMs) < COMPANY_LIMITS.refreshMs;

/** A changed key may do what the one before could not. */
const mayFetch = ({ from, failure }: Known, nowMs: number): boolean =>
  from.key() !== undefined && !(failure && failure.key === from.key() && nowMs < failure.untilMs);

function tableOf({ current, failure, from }: Known): CompanyTable {
  if (current) return current.table;
  throw from.key() && failure ? failure.error : missingKey(from.keyName);
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
