import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import {
  createWorkerQueue,
  toTransferable,
  WorkerFailure,
} from '../../platform/kernel/worker-queue.ts';
import type { CompaniesJob, CompaniesResult } from './companies-worker.ts';
import {
  COMPANY_LIMITS,
  type CompanyTable,
  createCompanyTable,
  openCompanyFile,
} from './company-file.ts';

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

export interface CompaniesDeps {
  /** The directory in whose file the list is kept. */
  readonly dataDir: string;
  /** Script of the thread. */
  readonly script: URL;
  /** V8's heap on the thread. */
  readonly maxHeapMib: number;
  /** The source as the presets are now; undefined if none has one. */
  readonly from: () => CompanySource | undefined;
  readonly clock: Clock;
  /** How long a caller waits for the list, in milliseconds. */
  readonly waitMs: number;
  readonly onFetched: (companies: number) => void;
  /** Called if the list could not be fetched, or not be kept. Must not throw. */
  readonly onFailed: (error: GatewayError) => void;
}

/** What is known of the list of one source. */
interface Known {
  from: CompanySource;
  current?: CompanyTable | undefined;
  reading?: Promise<void> | undefined;
  fetching?: Promise<void> | undefined;
  failure?: { readonly error: GatewayError; untilMs: number; key: Secret | undefined } | undefined;
}

export type Companies = ReturnType<typeof createCompanies>;

/**
 * The list of companies, which is fetched when it is first needed: nothing is read or fetched before the first caller. One
 * fetch at a time serves all of them.
 */
export function createCompanies(deps: CompaniesDeps) {
  const { clock } = deps;
  const loader = createLoader(deps);
  let known: Known | undefined;
  let isClosed = false;

  /** A changed preset may have another list, or fetch the same one in another way. */
  function knownNow(): Known {
    const from = deps.from();
    if (!from) throw new GatewayError('internal', 'No preset has a list of companies.');
    if (known?.from.source === from.source) known.from = from;
    else known = { from };
    return known;
  }

  async function fetchList(into: Known): Promise<void> {
    const { source, fetchZip, key: keyNow } = into.from;
    const key = keyNow();
    try {
      const zip = await fetchZip();
      // The file has the list of the newest source.
      if (source !== known?.from.source) return;
      into.current = (await loader.load(source, zip)) ?? into.current;
      into.failure = undefined;
      if (into.current) deps.onFetched(into.current.count);
    } catch (cause) {
      const error = toGatewayError(cause);
      into.failure = { error, untilMs: clock.now() + COMPANY_LIMITS.retryMs, key };
      // A fetch that is cut off by the shutdown is no failure.
      if (!isClosed) deps.onFailed(error);
    }
  }

  function refresh(list: Known): void {
    if (isFresh(list, clock.now()) || !mayFetch(list, clock.now())) return;
    list.fetching ??= fetchList(list).finally(() => {
      list.fetching = undefined;
    });
  }

  /** Resolves once there is a list, or the attempt to get one has failed. */
  async function prepare(list: Known): Promise<void> {
    list.reading ??= loader
      .load(list.from.source)
      .catch(() => undefined)
      .then((kept) => {
        list.current ??= kept;
      });
    await list.reading;
    refresh(list);
    if (!list.current) await list.fetching;
  }

  return {
    /** The name of the key without which the list is not fetched; undefined if no preset has such a list. */
    get keyName(): string | undefined {
      return deps.from()?.keyName;
    },
    /**
     * The list that is in use; an old one until a new one has been fetched. Rejects with `missing_secret` without a key,
     * with `upstream_timeout` if the list does not arrive in time, and with the error of the last attempt.
     */
    table: (): Awaitable<CompanyTable> => {
      const list = knownNow();
      if (!list.current) return within(prepare(list), deps.waitMs).then(() => tableOf(list));
      refresh(list);
      return list.current;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await loader.close();
    },
  };
}

/** Reads, stores and indexes lists on a thread, where this does not block the event loop. */
function createLoader({ dataDir, clock, ...options }: CompaniesDeps) {
  const queue = createWorkerQueue<CompaniesResult>({
    ...options,
    // The thread is needed once a day, and then no more.
    idleMs: 1000,
    maxWaiting: 1,
    jobTimeoutMs: COMPANY_LIMITS.readMs,
  });
  let file: DatabaseSync | undefined;
  return {
    /** The list in the file, if it is of this source; after the one that was fetched has taken its place. */
    async load(source: string, zip?: Buffer): Promise<CompanyTable | undefined> {
      const fetched = zip && { zip: toTransferable(zip), atMs: clock.now() };
      const value: CompaniesJob = { dataDir, source, ...(fetched ? { fetched } : {}) };
      const { index, ...failure } = await queue
        .run(() => ({ value, transfer: fetched ? [fetched.zip.buffer] : [] }))
        .catch((error) => {
          throw error instanceof WorkerFailure
            ? unreadable('it takes too much time or memory')
            : error;
        });
      if (failure.unreadable !== undefined) throw unreadable(failure.unreadable);
      if (failure.notKept !== undefined) throw notKept(failure.notKept);
      if (!index) return undefined;
      file ??= openCompanyFile(dataDir);
      return createCompanyTable(file, index);
    },
    close: async () => {
      await queue.close();
      if (file?.isOpen) file.close();
    },
  };
}

const isFresh = ({ current }: Known, nowMs: number): boolean =>
  current !== undefined && Math.abs(nowMs - current.fetchedAtMs) < COMPANY_LIMITS.refreshMs;

/** A changed key may do what the one before could not. */
const mayFetch = ({ from, failure }: Known, nowMs: number): boolean =>
  from.key() !== undefined && !(failure && failure.key === from.key() && nowMs < failure.untilMs);

function tableOf({ current, failure, from }: Known): CompanyTable {
  if (current) return current;
  throw from.key() && failure ? failure.error : missingKey(from.keyName);
}

/** Rejects with `upstream_timeout` if a promise takes longer. */
async function within<T>(promise: Promise<T>, waitMs: number): Promise<T> {
  const waited = new AbortController();
  const late = sleep(waitMs, undefined, { signal: waited.signal }).then(() => {
    throw notReady();
  });
  return Promise.race([promise, late]).finally(() => waited.abort());
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

const unreadable = (reason: string): GatewayError =>
  new GatewayError('upstream_bad_payload', `The list of companies could not be read: ${reason}.`);

const notKept = (cause: string): GatewayError =>
  new GatewayError('internal', 'The list of companies could not be written to DATA_DIR.', {
    cause: new Error(cause),
  });
