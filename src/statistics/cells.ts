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

/** Cells that wait to be written: some 6 MB. What needs one more is counted with others. */
export const MAX_CELLS = 10_000;
/** Cells of others beyond these. What needs one more is not counted. */
export const MAX_OTHER_CELLS = 1000;

interface CellKind<Named, Waiting extends Named> {
  readonly nameOf: (named: Named) => string;
  /** Where a cell counts beyond the bound; of such a cell, itself. */
  readonly othersOf: (named: Named) => Named;
  readonly open: (named: Named) => Waiting;
}

/** Cells by their names until they are written, in bounded number. */
export function createCellMap<Named, Waiting extends Named>(kind: CellKind<Named, Waiting>) {
  let cells = new Map<string, Waiting>();
  const at = (named: Named): Waiting | undefined => {
    const name = kind.nameOf(named);
    const known = cells.get(name);
    if (known) return known;
    if (cells.size >= MAX_CELLS) {
      const others = kind.othersOf(named);
      if (kind.nameOf(others) !== name) return at(others);
      if (cells.size >= MAX_CELLS + MAX_OTHER_CELLS) return undefined;
    }
    const cell = kind.open(named);
    cells.set(name, cell);
    return cell;
  };
  return {
    at,
    /** Hands over all cells. */
    take(): readonly Waiting[] {
      const taken = [...cells.values()];
      cells = new Map();
      return taken;
    },
  };
}

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
  const cells = createCellMap<Place, Cell>({
    nameOf: ({ minuteMs, tenantId, apiKeyId, toolId, origin }) =>
      `${minuteMs}\n${tenantId}\n${apiKeyId}\n${toolId}\n${origin}`,
    othersOf: (place) => ({ ...place, apiKeyId: OTHER, toolId: OTHER, origin: OTHER }),
    open: (place) => ({ ...place, tally: newTally() }),
  });
  /** The latest cell of each tool. */
  let latest = new Map<string, Cell>();

  return {
    /** A record like the one before of the same tool finds its cell without building a name. */
    add(record: AuditRecordsTable): void {
      let cell = latest.get(record.tool_id);
      if (!cell || !belongsTo(cell, record)) {
        cell = cells.at(placeOf(record));
        if (cell?.toolId === record.tool_id) latest.set(cell.toolId, cell);
      }
      if (cell) addRecord(cell.tally, record);
    },
    /** Hands over all cells. */
    take(): readonly Cell[] {
      latest = new Map();
      return cells.take();
    },
    /** Takes back cells that could not be written. */
    putBack(taken: readonly Cell[]): void {
      for (const cell of taken) {
        const known = cells.at(cell);
        if (known) addTally(known.tally, cell.tally);
      }
    },
  };
}
