/** Longest pattern of a preset, and of a registered API. */
const MAX_PATTERN_LENGTH = 500;
const MAX_REGISTERED_PATTERN_LENGTH = 2000;

/** Longest string that a description's pattern is matched against, in UTF-16 units. */
export const MAX_PATTERN_INPUT = 200;

/** Most ways in which a pattern may try to match a string of MAX_PATTERN_INPUT. */
const MAX_WAYS = 100_000;

/**
 * A preset's pattern as a regular expression; undefined if it is invalid or would take long to match. V8's engine
 * backtracks, so the cost grows with the number of ways in which a pattern can match a string, of which this computes an
 * upper bound. It keeps authors from mistakes that callers could exploit. It is no defence against a hostile author, whose
 * patterns are matched where a deadline ends them. Match strings up to MAX_PATTERN_INPUT only.
 */
export function safePattern(pattern: string): RegExp | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const expression = compilePattern(pattern);
  if (!expression) return undefined;
  const isAnchored = pattern.startsWith('^') && !pattern.includes('|');
  const ways = countWays(expression) * (isAnchored ? 1 : MAX_PATTERN_INPUT);
  return ways <= MAX_WAYS ? expression : undefined;
}

/** A pattern of a registered API, whatever it costs to match; undefined if it is invalid or too long. */
export const registeredPattern = (pattern: string): RegExp | undefined =>
  pattern.length > MAX_REGISTERED_PATTERN_LENGTH ? undefined : compilePattern(pattern);

/** JSON Schema recommends patterns for the `u` flag, but many descriptions do not follow it. */
const compilePattern = (pattern: string): RegExp | undefined =>
  compile(pattern, 'u') ?? compile(pattern, '');

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** One token of a valid pattern: a class, an escape, the start or end of a group, a quantifier, or another character. */
const TOKEN =
  /\[(?:[^\]\\]|\\.)*\]|\\(?:[pPu]\{[^}]*\}|k<[^>]*>|.)|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;
/** The same without the flag `u`, where `\p`, `\u` and `\k` are letters, and what follows may be a quantifier or a group. */
const TOKEN_WITHOUT_U =
  /\[(?:[^\]\\]|\\.)*\]|\\.|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|./gs;

/** Alternatives add, sequences multiply, and repetition raises to a power. */
function countWays({ source, unicode }: RegExp): number {
  const tokens = source.match(unicode ? TOKEN : TOKEN_WITHOUT_U) ?? [];
  let at = 0;

  function alternatives(): number {
    let sum = sequence();
    while (tokens[at] === '|') {
      at++;
      sum += sequence();
    }
    return sum;
  }

  function sequence(): number {
    let product = 1;
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') product *= repeated();
    return product;
  }

  function repeated(): number {
    const ways = atom();
    const range = repetition(tokens[at]);
    if (!range) return ways;
    at++;
    const [fewest, most] = range;
    if (ways === 1) return most - fewest + 1;
    return most === 1 ? ways + (1 - fewest) : ways ** most;
  }

  function atom(): number {
    const token = tokens[at++];
    if (!token?.startsWith('(')) return 1;
    const ways = alternatives();
    at++;
    return ways;
  }

  return alternatives();
}

function repetition(token: string | undefined): readonly [number, number] | undefined {
  if (token === undefined) return undefined;
  if (/^\*\??$/.test(token)) return [0, MAX_PATTERN_INPUT];
  if (/^\+\??$/.test(token)) return [1, MAX_PATTERN_INPUT];
  if (/^\?\??$/.test(token)) return [0, 1];
  const counted = /^\{(\d+)(,?)(\d*)\}\??$/.exec(token);
  if (!counted) return undefined;
  const fewest = Number(counted[1]);
  const most = counted[2] ? Number(counted[3] || MAX_PATTERN_INPUT) : fewest;
  return [Math.min(fewest, MAX_PATTERN_INPUT), Math.min(most, MAX_PATTERN_INPUT)];
}
