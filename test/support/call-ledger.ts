import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTime } from 'ulid';

/** What became of the answered calls of two tenants, as both replicas show it. */
export interface LedgerReport {
  /** Answered calls whose records were looked for. */
  readonly checked: number;
  /** Answered calls without a record on some replica. */
  readonly lost: number;
  /** Records that a replica listed twice, and events that came twice on one stream. */
  readonly doubled: number;
  /** Records and events that another tenant saw. */
  readonly foreign: number;
  /** Events that a stream did not get. */
  readonly missed: number;
}

/** An open stream of a tenant. */
interface WatchedStream {
  readonly tenant: number;
  /** The times of `performance.now()` between which the stream was certainly open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The calls whose events it received. */
  readonly seen: readonly string[];
}

/** Remembers answered calls until their records have been looked for. */
export interface CallLedger {
  answered(tenant: number, auditId: string): void;
  /** Compares what a stream of all tools of its tenant has told with the calls. */
  checkStream(stream: WatchedStream): void;
  /** Looks on every replica for the records of the calls that began before that time (epoch), and forgets these calls. */
  checkRecords(beforeMs: number): Promise<void>;
  report(): LedgerReport;
}

interface Call {
  readonly tenant: number;
  /** Of `performance.now()`. */
  readonly atMs: number;
}

/** The clock of an audit id and that of its record may differ by this. */
const MARGIN_MS = 1000;

export function createCallLedger(
  urls: readonly string[],
  keysOfTenants: readonly string[],
): CallLedger {
  const calls = new Map<string, Call>();
  const report = { checked: 0, lost: 0, doubled: 0, foreign: 0, missed: 0 };
  /** Counts the repeated and the foreign ones. */
  const checkIds = (tenant: number, ids: readonly string[]): void => {
    const isForeign = (id: string): boolean => (calls.get(id)?.tenant ?? tenant) !== tenant;
    report.doubled += ids.length - new Set(ids).size;
    report.foreign += ids.filter(isForeign).length;
  };
  return {
    answered: (tenant, auditId) => {
      if (calls.has(auditId)) report.doubled++;
      calls.set(auditId, { tenant, atMs: performance.now() });
    },
    checkStream: ({ tenant, fromMs, toMs, seen }) => {
      checkIds(tenant, seen);
      const told = new Set(seen);
      for (const [id, call] of calls) {
        const isExpected = call.tenant === tenant && call.atMs > fromMs && call.atMs < toMs;
        if (isExpected && !told.has(id)) report.missed++;
      }
    },
    checkRecords: async (beforeMs) => {
      const due = [...calls].filter(([id]) => timeOf(id) < beforeMs);
      const [first] = due.map(([id]) => timeOf(id)).toSorted((a, b) => a - b);
      if (first === undefined) return;
      const range = { fromMs: first - MARGIN_MS, toMs: beforeMs + MARGIN_MS };
      const lost = new Set<string>();
      for (const [tenant, key] of keysOfTenants.entries()) {
        const own = due.filter(([, call]) => call.tenant === tenant).map(([id]) => id);
        for (const url of urls) {
          const ids = await listRecords({ url, key, ...range });
          checkIds(tenant, ids);
          const found = new Set(ids);
          for (const id of own) if (!found.has(id)) lost.add(id);
        }
      }
      report.lost += lost.size;
      report.checked += due.length;
      for (const [id] of due) calls.delete(id);
    },
    report: () => ({ ...report }),
  };
}

const timeOf = (auditId: string): number => decodeTime(auditId.slice('aud_'.length));

interface RecordsQuery {
  readonly url: string;
  readonly key: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The ids of all records of a tenant that began in a range of time, as often as a replica lists them. */
async function listRecords({ url, key, fromMs, toMs }: RecordsQuery): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = new URLSearchParams({
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      limit: '500',
      ...(cursor && { cursor }),
    });
    const page = await readPage(`${url}/api/v1/audit?${query}`, key);
    for (const { auditId } of page.records) ids.push(auditId);
    cursor = page.nextCursor;
  }
  return ids;
}

interface RecordsPage {
  readonly records: readonly { readonly auditId: string }[];
  readonly nextCursor: string | null;
}

/** A busy gateway may refuse some audit searches. */
const ATTEMPTS = 5;

async function readPage(url: string, key: string): Promise<RecordsPage> {
  for (let attempt = 1; ; attempt++) {
    const headers = { 'x-api-key': key };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    if (response.status !== 503 || attempt === ATTEMPTS)
      throw new Error(`Audit records cannot be read (${response.status}): ${text}`);
    await sleep(1000);
  }
}
