import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createOutageLog } from '../../platform/kernel/log-lines.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { createWorkerQueue, workerScript } from '../../platform/kernel/worker-queue.ts';
import type { FinishedCall } from '../call-tool.ts';
import { type CallSpan, callSpanOf, parentOf } from './call-span.ts';
import type { ExportResult, ExportTarget } from './traces-worker.ts';

export interface TracesOptions {
  readonly target: ExportTarget;
  /** Part of the calls without a parent that get a span, 0 to 1. */
  readonly ratio: number;
  readonly closeGraceMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

export type Traces = ReturnType<typeof openTraces>;

/** Spans of one export, and how long the first of them waits for others. */
const MAX_BATCH = 512;
const BATCH_MS = 1000;
/** A span takes 15 us of CPU, mostly on the thread: a third of what a cached call takes. */
const MAX_PER_SECOND = 1000;
/** Made once: busy gateways report it for most calls. */
const TOO_MANY = new Error('too many calls');
/** Exports that wait for the one in progress. Spans beyond them are dropped. */
const MAX_WAITING = 4;

/** Sends spans on a thread, which loads OpenTelemetry when the first ones are sent. */
export function openTraces({ target, ratio, closeGraceMs, clock, logger }: TracesOptions) {
  const queue = createWorkerQueue<ExportResult>({
    script: workerScript('./traces-worker', import.meta.url),
    maxWaiting: MAX_WAITING,
    idleMs: 60_000,
    maxHeapMib: 64,
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
    /** Never throws, and never waits. */
    observe(finished: FinishedCall): void {
      const parent = parentOf(finished);
      // As the parent says, or else by chance.
      if (parent ? parent.traceFlags !== 1 : ratio < 1 && Math.random() >= ratio) return;
      const nowMs = clock.now();
      if (!isAllowed(nowMs)) {
        reportExcess(TOO_MANY);
        return;
      }
      batch.push(callSpanOf(finished, parent, nowMs));
      if (batch.length >= MAX_BATCH) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
    async close(): Promise<void> {
      flush();
      const graceEnd = new AbortController();
      const grace = sleep(closeGraceMs, undefined, graceEnd).catch(() => undefined);
      await Promise.race([Promise.all(running), grace]);
      graceEnd.abort();
      await queue.close();
    },
  };
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
