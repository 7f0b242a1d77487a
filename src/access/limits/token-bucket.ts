/** Lets a fixed number pass per second, and a burst after a quiet period. */
export interface TokenBucket {
  /** Takes one token. Returns false when the bucket is empty. */
  take(): boolean;
}

export function createTokenBucket(perSecond: number, burst: number): TokenBucket {
  let tokens = burst;
  let filledMs = performance.now();
  return {
    take() {
      const nowMs = performance.now();
      tokens = Math.min(burst, tokens + ((nowMs - filledMs) / 1000) * perSecond);
      filledMs = nowMs;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}
