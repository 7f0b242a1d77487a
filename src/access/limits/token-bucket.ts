/** Lets so many a second pass, and a burst after a quiet time. */
export interface TokenBucket {
  /** Takes one; false when there is none left. */
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
