/** What masking and cutting leave in a recorded text. */
const REMOVED = /\[masked:[a-z-]+\]|\[long name\]|…\[cut\]$/;

/** Whether a call can be run again with its recorded arguments. */
export interface Repeatability {
  /** Names of the arguments whose values were masked or cut: the person must give them again. */
  readonly missing: readonly string[];
  /** Whether there were more arguments than the record holds: the person must give all of them. */
  readonly isTruncated: boolean;
}

/** Which of the recorded arguments are not what the caller sent. */
export function repeatability(args: Readonly<Record<string, unknown>>): Repeatability {
  const isTruncated = args['_truncated'] === true;
  const missing = Object.entries(args)
    .filter(([name, value]) => REMOVED.test(name) || isRemoved(value))
    .map(([name]) => name);
  return { missing, isTruncated };
}

/** Recorded arguments are bounded in size and depth. */
function isRemoved(value: unknown): boolean {
  if (typeof value === 'string') return REMOVED.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => REMOVED.test(name) || isRemoved(inner));
}
