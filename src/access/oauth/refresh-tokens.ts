/** A refresh token of a grant that may still be used: it was not replaced, or was so within the grace. */
export interface LivingToken {
  /** SHA-256 of the token, in lower-case hex. */
  readonly digest: string;
  /** The token that it replaced; empty for the first one of a grant. */
  readonly parent: string;
  readonly issuedMs: number;
  /** When it was first exchanged. */
  readonly replacedMs?: number;
}

/** Refresh tokens that one grant remembers. Beyond these, the least recently used are no longer valid. */
export const MAX_REFRESH_TOKENS = 20;

export const REFRESH_MS = 30 * 24 * 60 * 60_000;

export interface Exchange {
  readonly used: string;
  readonly next: string;
  readonly nowMs: number;
  readonly graceMs: number;
}

/**
 * The tokens of a grant once one of them is exchanged. Hosts refresh in parallel, so that a token works for a grace after it
 * was replaced, and gets a further successor. Which of two successors the thief has is unknown: after the grace, the first
 * of them that is exchanged ends the other, with all that came of it. `reused` is a token that has ended so, or whose grace
 * is over: that nothing is remembered of it is enough to know.
 */
export function exchange(
  living: readonly LivingToken[],
  { used: digest, next, nowMs, graceMs }: Exchange,
): readonly LivingToken[] | 'reused' | 'expired' {
  const since = nowMs - graceMs;
  const valid = living.filter(({ replacedMs = nowMs }) => replacedMs >= since);
  const used = valid.find((token) => token.digest === digest);
  if (!used) return 'reused';
  if (used.issuedMs + REFRESH_MS <= nowMs) return 'expired';
  const lineOf = createLines(valid, since);
  const others = valid.filter((token) => token !== used && lineOf(token) === lineOf(used));
  const successor = { digest: next, parent: digest, issuedMs: nowMs };
  return [...others, { replacedMs: nowMs, ...used }, successor].slice(-MAX_REFRESH_TOKENS);
}

/** The ancestor that a token had at a time: tokens with different ones went separate ways before it. */
function createLines(tokens: readonly LivingToken[], since: number) {
  const byDigest = new Map(tokens.map((token) => [token.digest, token]));
  return (token: LivingToken): string => {
    let { digest, parent, issuedMs } = token;
    while (issuedMs >= since) {
      const earlier = byDigest.get(parent);
      if (!earlier) return parent;
      ({ digest, parent, issuedMs } = earlier);
    }
    return digest;
  };
}
