import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { createOutageLog } from '../../platform/kernel/outage-log.ts';
import { createWorkerQueue } from '../../platform/kernel/worker-queue.ts';
import { workerScript } from '../../platform/kernel/worker-script.ts';
import type { FinishedCall } from '../call-tool.ts';
import { type CallSpan, callSpanOf, traceparentOf } from './call-span.ts';
import type { ExportTarget } from './export-spans.ts';
import { readTraceParent } from './trace-parent.ts';
import type { ExportResult } from './traces-worker.ts';

export interface TracesOptions {
  readonly target: ExportTarget;
  /** Part of the calls without a parent that get a span, 0 to 1. */
  readonly ratio: number;
  readonly closeGraceMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The spans of calls, for a collector. */
export interface Traces extends Closeable {
  /** Never throws, and never waits. */
  observe(finished: FinishedCall): void;
}

/** Spans of one export, and how long the first of them waits for others. */
const MAX_BATCH = 512;
const BATCH_MS = 1000;
/** A span takes 15 us of CPU, mostly on the thread: a third of what a cached call takes. */
const MAX_PER_SECOND = 1000;
/** Made once: busy gateways report it for most calls. */
const TOO_MANY = new Error('too many calls');
/** Exports that wait for the one in progress. Spans beyond them are dropped. */
const MAX_WAITING = 4;

const BOUNDS = { maxWaiting: MAX_WAITING, idleMs: 60_000, maxHeapMib: 64 };
const WORKER = workerScript('./traces-worker', import.meta.url);

/** Sends spans on a thread, which loads OpenTelemetry when the first ones are sent. */
export function openTraces({ target, ratio, closeGraceMs, clock, logger }: TracesOptions): Traces {
  const queue = createWorkerQueue<ExportResult>({
    ...BOUNDS,
    script: WORKER,
    workerData: target,
    jobTimeoutMs: 2 * target.timeoutMs,
  });
  const reportFailure = createOutageLog(
    logger,
    'Spans were dropped: the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not accept them.',
  );
  const reportExcess = createOutageLog(
    logger,
    `Calls had no span: only ${MAX_PER_SECOND} of each second have one. Lower OTEL_TRACES_SAMPLER_ARG for an even sample.`,
  );
  const isAllowed = createAllowance();
  const running = new Set<Promise<void>>();
  let batch: CallSpan[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function send(spans: readonly CallSpan[]): Promise<void> {
    try {
      const { error } = await queue.run(() => ({ value: spans }));
      if (error !== null) reportFailure(new Error(error));
    } catch (error) {
      reportFailure(error);
    }
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0) return;
    const sending = send(batch);
    batch = [];
    running.add(sending);
    void sending.finally(() => running.delete(sending));
  }

  return {
    observe(finished) {
      if (!isSampled(finished, ratio)) return;
      const nowMs = clock.now();
      if (!isAllowed(nowMs)) {
        reportExcess(TOO_MANY);
        return;
      }
      batch.push(callSpanOf(finished, nowMs));
      if (batch.length >= MAX_BATCH) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
    async close() {
      flush();
      const graceEnd = new AbortController();
      const grace = sleep(closeGraceMs, undefined, graceEnd).catch(() => undefined);
      await Promise.race([Promise.all(running), grace]);
      graceEnd.abort();
      await queue.close();
    },
  };
}

/** Whether a call gets a span: as its parent says, or else by chance. */
function isSampled(finished: FinishedCall, ratio: number): boolean {
  const text = traceparentOf(finished);
  const parent = text === undefined ? undefined : readTraceParent(text);
  return parent ? parent.traceFlags === 1 : ratio >= 1 || Math.random() < ratio;
}

/** Allows so many spans in each second of the clock. */
function createAllowance(): (nowMs: number) => boolean {
  let second = 0;
  let used = 0;
  return (nowMs) => {
    const current = Math.floor(nowMs / 1000);
    if (current !== second) {
      second = current;
      used = 0;
    }
    return used++ < MAX_PER_SECOND;
  };
}
