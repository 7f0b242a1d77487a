import { cutText } from '../audit/record/fit-column.ts';
import type { AuditRecordsTable } from '../platform/database/tables.ts';
import { STEP_MS, startOf } from './steps.ts';
import { addRecord, addTally, newTally, type Tally } from './tally.ts';

/** What the calls of a cell have in common. */
interface Place {
  readonly minuteMs: number;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly toolId: string;
  readonly origin: string;
}

/** Calls with the same minute, tenant, key, tool and upstream. */
export type Cell = Place & { readonly tally: Tally };

/** Cells that wait to be written: some 6 MB. Calls that need one more are counted by minute and tenant only. */
export const MAX_CELLS = 10_000;
/** Cells by minute and tenant beyond these. Calls that need one more are not counted. */
export const MAX_OTHER_CELLS = 1000;

/** The key, tool and upstream of calls that are not counted by their own. */
export const OTHER = '(other)';

const MAX_SUBJECT_CHARACTERS = 300;
const NO_UPSTREAM = '(none)';

const placeOf = (record: AuditRecordsTable): Place => ({
  minuteMs: startOf('minute', record.timestamp_ms),
  tenantId: record.tenant_id,
  apiKeyId: record.api_key_id,
  toolId: subjectOf(record.tool_id),
  // Scheme, host and port, without parsing the rest.
  origin: subjectOf(/^https?:\/\/[^/?#]*/i.exec(record.upstream_url ?? '')?.[0] ?? NO_UPSTREAM),
});

/** SQLite also stores lone surrogates as U+FFFD. */
const subjectOf = (text: string): string => cutText(text, MAX_SUBJECT_CHARACTERS).toWellFormed();

/** Whether a record of the same tool belongs to a cell. */
function belongsTo(cell: Cell, record: AuditRecordsTable): boolean {
  const sinceMs = record.timestamp_ms - cell.minuteMs;
  return (
    sinceMs >= 0 &&
    sinceMs < STEP_MS.minute &&
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

/** Counts calls in memory until they are written. */
export function createCells() {
  let cells = new Map<string, Cell>();
  /** The latest cell of each tool. */
  let latest = new Map<string, Cell>();

  const cellAt = (place: Place): Cell | undefined => {
    const { minuteMs, tenantId, apiKeyId, toolId, origin } = place;
    const name = `${minuteMs}\n${tenantId}\n${apiKeyId}\n${toolId}\n${origin}`;
    const known = cells.get(name);
    if (known) return known;
    if (cells.size >= MAX_CELLS) {
      if (toolId !== OTHER) {
        return cellAt({ minuteMs, tenantId, apiKeyId: OTHER, toolId: OTHER, origin: OTHER });
      }
      if (cells.size >= MAX_CELLS + MAX_OTHER_CELLS) return undefined;
    }
    const cell = { ...place, tally: newTally() };
    cells.set(name, cell);
    return cell;
  };

  return {
    /** A record like the one before of the same tool finds its cell without building a name. */
    add(record: AuditRecordsTable): void {
      let cell = latest.get(record.tool_id);
      if (!cell || !belongsTo(cell, record)) {
        cell = cellAt(placeOf(record));
        if (cell?.toolId === record.tool_id) latest.set(cell.toolId, cell);
      }
      if (cell) addRecord(cell.tally, record);
    },
    /** Hands over all cells. */
    take(): readonly Cell[] {
      const taken = [...cells.values()];
      cells = new Map();
      latest = new Map();
      return taken;
    },
    /** Takes back cells that could not be written. */
    putBack(taken: readonly Cell[]): void {
      for (const cell of taken) {
        const known = cellAt(cell);
        if (known) addTally(known.tally, cell.tally);
      }
    },
  };
}
