/** Longer words are truncated: the cost grows with the product of the lengths. */
const MAX_LENGTH = 64;

/** The fewest single-letter edits and swaps of neighbours between two words (optimal string alignment), or `most` if it is more. */
function editDistance(left: string, right: string, most: number): number {
  // Tools of one API begin alike; what both words share costs nothing.
  const [a, b] = withoutCommonEnds(left.slice(0, MAX_LENGTH), right.slice(0, MAX_LENGTH));
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + change,
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    // No later row is less than the lesser of two that follow each other.
    if (Math.min(...last, ...current) >= most) return most;
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? a.length;
}

function withoutCommonEnds(a: string, b: string): readonly [string, string] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

/** The candidate that a misspelt word most likely means: at most two edits away, or one for a short word. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const allowed = word.length <= 5 ? 1 : 2;
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}
