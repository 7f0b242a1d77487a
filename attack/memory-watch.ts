import { readFile } from 'node:fs/promises';

const INTERVAL_MS = 100;

/** Watches the resident memory of a process. */
export interface MemoryWatch {
  rssBytes(): Promise<number>;
  /** The highest value since the previous call. */
  peakRssBytes(): number;
  stop(): void;
}

export function watchMemory(pid: number): MemoryWatch {
  let peak = 0;
  const rssBytes = async (): Promise<number> => {
    const bytes = await rssOf(pid);
    peak = Math.max(peak, bytes);
    return bytes;
  };
  const timer = setInterval(() => void rssBytes(), INTERVAL_MS);
  return {
    rssBytes,
    peakRssBytes: () => {
      const highest = peak;
      peak = 0;
      return highest;
    },
    stop: () => clearInterval(timer),
  };
}

/** Resident memory of a process; 0 once it has ended. */
async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
