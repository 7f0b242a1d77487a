import { openInspector } from '../../bench/inspector.ts';
import { residentMib } from '../../bench/processes.ts';
import { quantile } from '../../bench/quantile.ts';
import type { RunningGateway } from './gateway-process.ts';

/** The setting that lets `watchMemory` collect the garbage of a gateway. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** How the resident memory of a gateway has grown: medians in MiB. */
interface Growth {
  readonly fromMib: number;
  readonly toMib: number;
  /** 0.05 = 5 %. */
  readonly part: number;
}

/** The resident memory of a gateway, read once a second. */
export interface MemoryWatch {
  /** To be called once a second. */
  read(): Promise<void>;
  /** The median of the latest samples, in MiB. */
  latest(seconds: number): number;
  /**
   * The last three minutes compared with minutes 9 to 11; in less than 14 minutes, the last sixth with the one that follows a
   * third of the time.
   */
  growth(): Growth;
}

/**
 * Otherwise V8 collects everything only every few minutes, between which memory grows by a half, and the time of the last
 * collection would decide how much it has grown.
 */
const COLLECT_EVERY_S = 30;
const MINUTE_S = 60;
const LONG_S = 14 * MINUTE_S;

/** Watches a gateway; one with the setting `INSPECTED` also has its garbage collected every 30 seconds. */
export function watchMemory({ pid, stderr }: RunningGateway): MemoryWatch {
  const samples: number[] = [];
  const collect = async (): Promise<void> => {
    // The launcher has announced one, too.
    const port = [...stderr().matchAll(/Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/g)].at(-1);
    if (!port) return;
    const inspector = await openInspector(Number(port[1]));
    await inspector.post('HeapProfiler.collectGarbage');
    inspector.close();
  };
  const medianOf = (start: number, end?: number): number =>
    quantile(samples.slice(start, end), 0.5);
  return {
    read: async () => {
      if (samples.push(residentMib(pid)) % COLLECT_EVERY_S === 0) await collect();
    },
    latest: (seconds) => medianOf(-seconds),
    growth: () => {
      const isLong = samples.length >= LONG_S;
      const length = isLong ? 3 * MINUTE_S : Math.max(1, Math.floor(samples.length / 6));
      const start = isLong ? 8 * MINUTE_S : Math.floor(samples.length / 3);
      const fromMib = medianOf(start, start + length);
      const toMib = medianOf(-length);
      return { fromMib, toMib, part: toMib / fromMib - 1 };
    },
  };
}
