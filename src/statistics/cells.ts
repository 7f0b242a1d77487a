import type { CountedRecord } from '../audit/record/counted-record.ts';
import { cutText } from '../audit/record/fit-column.ts';
import { STEP_MS, startOf } from './steps.ts';
import { addRecord, newTally, type Tally } from './tally.ts';

/** Calls with the same minute, tenant, key, tool and upstream. */
export interface Cell {
  readonly minuteMs: number;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly toolId: string;
  readonly origin: string;
  readonly tally: Tally;
}

const MAX_SUBJECT_CHARACTERS = 300;
const NO_UPSTREAM = '(none)';

/** The cell of a single record. */
export function cellOf(record: CountedRecord): Cell {
  const cell = { ...placeOf(record), tally: newTally() };
  addRecord(cell.tally, record);
  return cell;
}

const placeOf = (record: CountedRecord): Omit<Cell, 'tally'> => ({
  minuteMs: startOf('minute', record.timestamp_ms),
  tenantId: record.tenant_id,
  apiKeyId: record.api_key_id,
  toolId: subjectOf(record.tool_id),
  // Scheme, host and port, without parsing the rest.
  origin: subjectOf(/^https?:\/\/[^/?#]*/i.exec(record.upstream_url ?? '')?.[0] ?? NO_UPSTREAM),
});

/** SQLite also stores lone surrogates as U+FFFD. */
const subjectOf = (text: string): string => cutText(text, MAX_SUBJECT_CHARACTERS).toWellFormed();

function belongsTo(cell: Cell, record: CountedRecord): boolean {
  const sinceMs = record.timestamp_ms - cell.minuteMs;
  return (
    sinceMs >= 0 &&
    sinceMs < STEP_MS.minute &&
    record.tool_id === cell.toolId &&
    record.api_key_id === cell.apiKeyId &&
    record.tenant_id === cell.tenantId &&
    isAt(cell.origin, record.upstream_url)
  );
}

/** Whether an address begins with this origin and then ends or continues with its path. */
function isAt(origin: string, url: string | null): boolean {
  if (url === null) return origin === NO_UPSTREAM;
  return (
    url.startsWith(origin) &&
    (url.length === origin.length || '/?#'.includes(url.charAt(origin.length)))
  );
}

/** Counts records, those that belong together in one cell. */
export function createCells() {
  const cells = new Map<string, Cell>();
  let latest: Cell | undefined;

  /** A record like the one before finds its cell without building a name. */
  const findCell = (record: CountedRecord): Cell => {
    if (latest && belongsTo(latest, record)) return latest;
    const place = placeOf(record);
    const { minuteMs, tenantId, apiKeyId, toolId, origin } = place;
    const name = `${minuteMs}\n${tenantId}\n${apiKeyId}\n${toolId}\n${origin}`;
    const known = cells.get(name);
    if (known) return known;
    const cell = { ...place, tally: newTally() };
    cells.set(name, cell);
    return cell;
  };

  return {
    add(record: CountedRecord): void {
      latest = findCell(record);
      addRecord(latest.tally, record);
    },
    count: (): number => cells.size,
    all: (): readonly Cell[] => [...cells.values()],
    clear(): void {
      cells.clear();
      latest = undefined;
    },
  };
}

/** Cells of one hand-over. Beyond them, the records are read from the file. */
export const MAX_RECENT_CELLS = 500;

/** Records that this process has committed one after another: those after row `afterRowId` are in the cells, the others must be read. */
export interface RecentRecords {
  readonly afterRowId: number;
  readonly lastRowId: number;
  readonly lastAuditId: string;
  readonly cells: readonly Cell[];
}

export type RecentCounter = ReturnType<typeof createRecentCounter>;

/**
 * Counts records while they are still in memory: reading each of them again would cost a tenth of a cached call. What is lost
 * here, such as with the process, is read from the file.
 */
export function createRecentCounter() {
  const cells = createCells();
  let afterRowId = 0;
  let lastRowId = 0;
  let lastAuditId = '';
  /** Whether the cells contain all records after `afterRowId`. */
  let isComplete = true;

  const startAfter = (rowId: number): void => {
    cells.clear();
    afterRowId = rowId;
    isComplete = true;
  };

  return {
    /** The rows of one commit, and the row id of the last one. Must be called for every commit, in their order. */
    add(rows: readonly CountedRecord[], newLastRowId: number): void {
      const last = rows.at(-1);
      if (!last) return;
      const firstRowId = newLastRowId - rows.length + 1;
      if (firstRowId !== lastRowId + 1) {
        // After a start, the records before are read. Otherwise, row ids have been assigned again: so are these.
        const isEmpty = lastRowId === afterRowId;
        startAfter(firstRowId - 1);
        isComplete = isEmpty;
      }
      lastRowId = newLastRowId;
      lastAuditId = last.audit_id;
      if (!isComplete) return;
      for (const row of rows) cells.add(row);
      isComplete = cells.count() <= MAX_RECENT_CELLS;
    },
    /** Hands over the records since the last time; undefined without any. */
    take(): RecentRecords | undefined {
      if (lastRowId === afterRowId) return undefined;
      const taken = isComplete
        ? { afterRowId, lastRowId, lastAuditId, cells: cells.all() }
        : { afterRowId: lastRowId, lastRowId, lastAuditId, cells: [] };
      startAfter(lastRowId);
      return taken;
    },
  };
}
