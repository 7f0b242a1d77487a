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
/** Exports that wait for the one in progress. Spans beyond them are dropped. */
const MAX_WAITING = 4;

const BOUNDS = { maxWaiting: MAX_WAITING, idleMs: 60_000, maxHeapMib: 64 };
const WORKER = workerScript('./traces-worker', import.meta.url);

/**
 * Sends spans on a thread, which loads OpenTelemetry when the first ones are sent: encoding a span costs more than
 * everything else that the gateway does for a cached call after its response is found.
 */
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
      if (ratio < 1 && Math.random() >= ratio && !traceparentOf(finished)) return;
      batch.push(callSpanOf(finished, clock.now()));
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
