import type { CountedRecord } from '../../audit/record/counted-record.ts';
import { cutText } from '../../audit/record/fit-column.ts';
import type { StatisticsTable } from '../../platform/database/tables.ts';
import { STEP_MS, type Step, startOf } from './steps.ts';
import { addRecord, addTally, newTally, type Tally } from './tally.ts';

/** What identifies a row. */
export type StatisticKey = Pick<
  StatisticsTable,
  'step' | 'scope' | 'kind' | 'bucket_ms' | 'subject'
>;

/** Calls to be added to a row. */
export interface Addition {
  readonly key: StatisticKey;
  readonly tally: Tally;
}

/** The scope of the statistics over all tenants. */
export const ALL_TENANTS = '*';

/** Parts of the subject of a `use`: tool, tenant and key. */
export const USE_SEPARATOR = '\n';

const MAX_SUBJECT_CHARACTERS = 300;
const NO_UPSTREAM = '(none)';

/**
 * Counts records for the rows to which they belong: each belongs to rows of its minute, hour and day, of its tenant and
 * of all tenants, of its tool, key and upstream. Minutes before `minutesFromMs` are left out.
 */
export function countRecords(
  records: readonly CountedRecord[],
  minutesFromMs: number,
  steps: readonly Step[],
): readonly Addition[] {
  const cells = createCells();
  for (const record of records) cells.add(record);
  return countCells(cells.all(), minutesFromMs, steps);
}

/** The same for records that have already been put into cells. */
export function countCells(
  cells: Iterable<Cell>,
  minutesFromMs: number,
  steps: readonly Step[],
): readonly Addition[] {
  const additions = new Map<string, Addition>();
  for (const cell of cells) {
    for (const step of steps) {
      if (step === 'minute' && cell.minuteMs < minutesFromMs) continue;
      for (const key of keysOf(cell, step)) addTo(additions, key, cell.tally);
    }
  }
  return [...additions.values()];
}

/** Calls with the same minute, tenant, key, tool and upstream. */
export interface Cell {
  readonly minuteMs: number;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly toolId: string;
  readonly origin: string;
  readonly tally: Tally;
}

/** Puts calls into cells. */
export interface Cells {
  readonly size: number;
  add(record: CountedRecord): void;
  all(): Iterable<Cell>;
}

/** Every call passes here, so a record like the one before finds its cell without building a name. */
export function createCells(): Cells {
  const cells = new Map<string, Cell>();
  let latest: Cell | undefined;

  const cellOf = (record: CountedRecord): Cell => {
    if (latest && belongsTo(latest, record)) return latest;
    const minuteMs = startOf('minute', record.timestamp_ms);
    const { tenant_id: tenantId, api_key_id: apiKeyId } = record;
    const toolId = cutText(record.tool_id, MAX_SUBJECT_CHARACTERS);
    const origin = originOf(record.upstream_url);
    const name = `${minuteMs}\n${tenantId}\n${apiKeyId}\n${toolId}\n${origin}`;
    const known = cells.get(name);
    if (known) return known;
    const cell = { minuteMs, tenantId, apiKeyId, toolId, origin, tally: newTally() };
    cells.set(name, cell);
    return cell;
  };

  return {
    get size() {
      return cells.size;
    },
    add: (record) => {
      latest = cellOf(record);
      addRecord(latest.tally, record);
    },
    all: () => cells.values(),
  };
}

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

/** Scheme, host and port of an address, without parsing the rest of it. */
function originOf(url: string | null): string {
  const origin = /^https?:\/\/[^/?#]*/i.exec(url ?? '')?.[0] ?? NO_UPSTREAM;
  return cutText(origin, MAX_SUBJECT_CHARACTERS);
}

function keysOf(cell: Cell, step: Step): StatisticKey[] {
  const bucket_ms = startOf(step, cell.minuteMs);
  const key = (scope: string, kind: StatisticKey['kind'], subject: string): StatisticKey => ({
    step,
    scope,
    kind,
    bucket_ms,
    subject,
  });
  const { tenantId, apiKeyId, toolId, origin } = cell;
  const inScope = (scope: string): StatisticKey[] => [
    key(scope, 'all', ''),
    key(scope, 'tool', toolId),
    key(scope, 'key', apiKeyId),
    key(scope, 'upstream', origin),
  ];
  const keys = [
    ...inScope(tenantId),
    ...inScope(ALL_TENANTS),
    key(ALL_TENANTS, 'tenant', tenantId),
  ];
  if (step !== 'day' || cell.tally.requests === 0) return keys;
  return [...keys, key(ALL_TENANTS, 'use', [toolId, tenantId, apiKeyId].join(USE_SEPARATOR))];
}

/** The name of a row, unique among all rows. */
export const nameOf = ({ step, scope, kind, bucket_ms, subject }: StatisticKey): string =>
  `${step}\t${scope}\t${kind}\t${bucket_ms}\t${subject}`;

function addTo(additions: Map<string, Addition>, key: StatisticKey, tally: Tally): void {
  const name = nameOf(key);
  let addition = additions.get(name);
  if (!addition) {
    addition = { key, tally: newTally() };
    additions.set(name, addition);
  }
  addTally(addition.tally, tally);
}
