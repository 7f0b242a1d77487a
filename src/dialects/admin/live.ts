import { AdminEvents, type EventSink } from './admin-events.ts';
import { tenantRoute } from './admin-route.ts';
import type { LiveCall, LiveCalls } from './live-calls.ts';

export interface LiveRoutesDeps {
  readonly liveCalls: LiveCalls;
}

/** `GET /tenants/:tenant/live`: the calls of a tenant as they end, as server-sent events `calls`. */
export const createLiveRoutes = ({ liveCalls }: LiveRoutesDeps) => ({
  'GET /tenants/:tenant/live': tenantRoute('viewer', {
    input: {},
    handle: ({ tenant }) => {
      // Before the response begins, so that a refusal has its status.
      const batch = createBatch();
      const unwatch = liveCalls.watch(tenant.id, batch.add);
      return new AdminEvents((sink) => {
        batch.start(sink);
        return () => {
          unwatch();
          batch.stop();
        };
      });
    },
  }),
});

/** Calls of one event. With the pause, 1,000 a second: more cannot be read, and a browser must keep up. */
const MAX_CALLS = 100;
const PAUSE_MS = 100;

/** What one event carries. */
export interface LiveBatch {
  readonly calls: readonly LiveCall[];
  /** Calls that were left out since the event before, because there were too many or the browser was too slow. */
  readonly dropped: number;
}

/** Gathers calls for a tenth of a second, and counts those that do not fit. */
function createBatch() {
  let sink: EventSink | undefined;
  let calls: LiveCall[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const batch: LiveBatch = { calls, dropped };
    calls = [];
    dropped = 0;
    if (sink && !sink.send('calls', batch)) dropped = batch.dropped + batch.calls.length;
  }

  return {
    start: (to: EventSink) => {
      sink = to;
    },
    add: (call: LiveCall) => {
      if (calls.length < MAX_CALLS) calls.push(call);
      else dropped++;
      timer ??= setTimeout(flush, PAUSE_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
