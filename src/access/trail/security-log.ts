import type { Logger } from 'pino';

/** Everything that the security log and its metric tell apart. */
export const SECURITY_EVENTS = [
  'started',
  'auth_failed',
  'auth_blocked',
  'auth_overloaded',
  'rate_limited',
  'tool_denied',
  'key_created',
  'key_changed',
  'key_revoked',
  'key_expired',
  'retention_swept',
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** Lines of one kind a minute, whoever causes them: 300 bytes each come to 13 MB a day and kind. */
export const MAX_LINES = 30;
/** Of these, lines about one source. */
export const MAX_LINES_OF_SOURCE = 3;
const WINDOW_MS = 60_000;

/** What an operator must be able to find out afterwards: one log line each, as far as these bounds allow, and a count. */
export interface SecurityLog {
  /**
   * Counts the event and writes its line, unless there were too many of its kind or of its `source` (an address block,
   * a key) within a minute; the next line says how many were not written. `fields` never hold a secret.
   */
  record(event: SecurityEvent, fields: Readonly<Record<string, unknown>>, source?: string): void;
  /** How often each event happened since the start, written or not. */
  counts(): Readonly<Record<SecurityEvent, number>>;
}

interface Kind {
  total: number;
  endMs: number;
  lines: number;
  suppressed: number;
  /** Lines of this minute by source; as few as there are lines. */
  readonly bySource: Map<string, number>;
}

export function createSecurityLog(logger: Pick<Logger, 'info' | 'warn'>): SecurityLog {
  const kinds = new Map<SecurityEvent, Kind>(SECURITY_EVENTS.map((event) => [event, newKind()]));
  return {
    record(event, fields, source = '') {
      const kind = kinds.get(event) ?? newKind();
      kind.total++;
      if (!takeLine(kind, source)) {
        kind.suppressed++;
        return;
      }
      const { suppressed } = kind;
      kind.suppressed = 0;
      const line = { event, ...fields, ...(suppressed > 0 ? { suppressed } : {}) };
      logger[isRefusal(event) ? 'warn' : 'info'](line, `security: ${event}`);
    },
    counts: () =>
      Object.fromEntries([...kinds].map(([event, { total }]) => [event, total])) as Record<
        SecurityEvent,
        number
      >,
  };
}

const newKind = (): Kind => ({
  total: 0,
  endMs: 0,
  lines: 0,
  suppressed: 0,
  bySource: new Map(),
});

/** Whether one more line may be written now. */
function takeLine(kind: Kind, source: string): boolean {
  const nowMs = performance.now();
  if (nowMs >= kind.endMs) {
    kind.endMs = nowMs + WINDOW_MS;
    kind.lines = 0;
    kind.bySource.clear();
  }
  const ofSource = kind.bySource.get(source) ?? 0;
  if (kind.lines >= MAX_LINES || ofSource >= MAX_LINES_OF_SOURCE) return false;
  kind.lines++;
  kind.bySource.set(source, ofSource + 1);
  return true;
}

const REFUSALS: ReadonlySet<SecurityEvent> = new Set([
  'auth_failed',
  'auth_blocked',
  'auth_overloaded',
  'rate_limited',
  'tool_denied',
]);

const isRefusal = (event: SecurityEvent): boolean => REFUSALS.has(event);
