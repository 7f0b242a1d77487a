import type { Logger } from 'pino';

/** Every kind of event in the security log and its metric. */
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
  'provider_key_changed',
  'quota_running_out',
  'own_key_changed',
  'retention_swept',
  'signed_in',
  'signed_out',
  'sign_in_failed',
  'sign_in_blocked',
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** Lines per minute and kind, from all sources: at 300 bytes each, 13 MB a day for one kind. */
export const MAX_LINES = 30;
/** Lines per minute and kind about one source. */
export const MAX_LINES_OF_SOURCE = 3;
const WINDOW_MS = 60_000;

type Kind = ReturnType<typeof newKind>;

const newKind = () => ({
  total: 0,
  endMs: 0,
  lines: 0,
  suppressed: 0,
  /** Lines of this minute by source; never more entries than lines. */
  bySource: new Map<string, number>(),
});

export type SecurityLog = ReturnType<typeof createSecurityLog>;

/** Events that an operator must be able to trace later: a count, and a log line each within the bounds above. */
export function createSecurityLog(logger: Pick<Logger, 'info' | 'warn'>) {
  const kinds = new Map<SecurityEvent, Kind>(SECURITY_EVENTS.map((event) => [event, newKind()]));
  return {
    /**
     * Counts the event and writes its line, unless the minute already has too many lines of its kind or about its
     * `source` (an address block, a key). The next line reports how many were suppressed. `fields` never hold a secret.
     */
    record(event: SecurityEvent, fields: Readonly<Record<string, unknown>>, source = ''): void {
      const kind = kinds.get(event) ?? newKind();
      kind.total++;
      if (!takeLine(kind, source)) {
        kind.suppressed++;
        return;
      }
      const { suppressed } = kind;
      kind.suppressed = 0;
      const line = { event, ...fields, ...(suppressed > 0 ? { suppressed } : {}) };
      logger[WARNINGS.has(event) ? 'warn' : 'info'](line, `security: ${event}`);
    },
    /** How often each event has happened since the start, logged or not. */
    counts: () =>
      Object.fromEntries([...kinds].map(([event, { total }]) => [event, total])) as Readonly<
        Record<SecurityEvent, number>
      >,
  };
}

/** Takes the right to write one more line now. Returns false when the bounds are reached. */
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

/** What is written as a warning. */
const WARNINGS: ReadonlySet<SecurityEvent> = new Set([
  'auth_failed',
  'auth_blocked',
  'auth_overloaded',
  'rate_limited',
  'tool_denied',
  'quota_running_out',
  'sign_in_failed',
  'sign_in_blocked',
]);
