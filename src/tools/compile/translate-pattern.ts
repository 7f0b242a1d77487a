/**
 * A pattern as ECMAScript has it, which JSON Schema expects; or what it has that ECMAScript cannot say. A pattern of
 * ECMAScript is returned as it is.
 */
export type Translation = { readonly pattern: string } | { readonly foreign: string };

/** Translates a pattern of Perl, PHP, Python, Ruby, Java, .NET, Go or POSIX where the result accepts the same texts. */
export function translatePattern(written: string): Translation {
  const { body, flags } = withoutDelimiters(written);
  try {
    const pattern = new Translator(body).translate(flags);
    return compiles(pattern, 'u') || !needsUnicode(body) ? { pattern } : { foreign: '\\p' };
  } catch (error) {
    if (error instanceof Untranslatable) return { foreign: error.message };
    throw error;
  }
}

class Untranslatable extends Error {}

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Whether the pattern has properties of Unicode, which are letters without the flag `u`. A count is none: `\p{2}`. */
const needsUnicode = (pattern: string): boolean => /\\[pP](?!\{[\d,]*\})/.test(pattern);

/** Flags that change nothing about which texts fit a schema's pattern. */
const IDLE_FLAGS = /[guyDUaL]/g;

/** What stands between the delimiters of a literal: `/^a$/i`, `#^a$#`. Without delimiters, an anchor there could never match. */
function withoutDelimiters(written: string): { readonly body: string; readonly flags: string } {
  const plain = { body: written, flags: '' };
  const [, mark, body = '', flags = ''] = /^([/#~@!%])(.+)\1([a-zA-Z]{0,8})$/s.exec(written) ?? [];
  if (mark === undefined || !/^[gimsuyxDAU]*$/.test(flags)) return plain;
  const isAnchored = /^\^|^\\A|(?:^|[^\\])(?:\\\\)*(?:\$|\\[zZ])$/.test(body);
  const isClosedOnce = !/(?:^|[^\\])(?:\\\\)*\//.test(body);
  // Without an anchor, what fits the text with its slashes fits the text between them, too.
  const isLiteral = isAnchored || (mark === '/' && isClosedOnce && /[\\[\](){}|*+?.]/.test(body));
  if (!isLiteral) return plain;
  const isFixed = flags.includes('A');
  return { body: isFixed ? `^(?:${body})` : body, flags: flags.replace(/A/g, '') };
}

/** The members of a class that POSIX and Java name. */
const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\t-\\r ',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9A-Fa-f',
  word: 'A-Za-z0-9_',
  cntrl: '\\x00-\\x1f\\x7f',
  graph: '!-~',
  print: ' -~',
  ascii: '\\x00-\\x7f',
};

/** Escapes of other languages outside of classes. */
const ESCAPES: Readonly<Record<string, string>> = {
  A: '^',
  Z: '$',
  z: '$',
  R: '(?:\\r\\n|[\\n-\\r\\x85\\u2028\\u2029])',
};
/** The same anywhere. */
const CHARACTERS: Readonly<Record<string, string>> = { e: '\\x1b', a: '\\x07' };

/** Letters after a backslash that mean something in ECMAScript. */
const KNOWN_ESCAPES = /[bBdDsSwWnrtvfcxukpP]/;
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;
const ALL_SYNTAX = new RegExp(SYNTAX, 'g');

/** A group, or the whole pattern. */
interface Scope {
  readonly start: number;
  readonly close: string;
  readonly isExtended: boolean;
  /** Groups that flags have opened within, which end with it: `(?i)`. */
  readonly opened: readonly string[];
}

/** What is read next, from where the last match ended. */
const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\}|\{,(\d+)\})([?+]?)/y;
const FLAGS = /\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/y;
const NAMED_GROUP = /\(\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/y;
const NAMED_REFERENCE = /\(\?P=(\w+)\)|\\[kg]\{([A-Za-z_]\w*)\}|\\k'(\w+)'/y;
const NUMBERED_REFERENCE = /\\g\{?(\d+)\}?|\\([1-9]\d*)/y;
const ATOMIC_GROUP = /\(\?>/y;
const PLAIN_GROUP = /\((?:\?(?:[:=!]|<[=!]))?/y;
const RECURSION = /\((?:\*|\?(?:R|[+-]?\d|P>|&|\(|\||C|<-))/y;
const QUOTED = /\\Q(.*?)(?:\\E|$)/sy;
const CODE_POINT = /\\x\{([0-9A-Fa-f]{1,6})\}/y;
const PROPERTY = /\\([pP])(?!\{[\d,]*\})(?:\{(\^?)([^}]*)\}|([A-Za-z]))/y;
const NAMED_CLASS = /\[:(\^?)(\w+):\]/y;
const SET_OPERATION = /&&(?=\[)|-\[[^\]\\]+\]\]|\[([.=])\w+\1\]/y;
const COMMENT = /\(\?#[^)]*\)/y;
const SPACE = /\s+|#[^\n]*/y;

function fail(what: string): never {
  throw new Untranslatable(what);
}

/** Reads a pattern once, from left to right. */
class Translator {
  readonly #text: string;
  readonly #out: string[] = [];
  /** Whether only escapes that ECMAScript does not know keep the pattern from the flag `u`. */
  readonly #isUnicode: boolean;
  #at = 0;
  #scope: Scope = { start: 0, close: '', isExtended: false, opened: [] };
  readonly #outer: Scope[] = [];
  /** Where the last atom starts in the output, for a possessive quantifier. */
  #atom = 0;
  #added = 0;
  #isNumbered = false;

  constructor(text: string) {
    this.#text = text;
    this.#isUnicode = needsUnicode(text) && !compiles(text, 'u');
  }

  translate(flags: string): string {
    if (flags.replace(IDLE_FLAGS, '') !== '') this.#setFlags(flags, '', false);
    while (this.#at < this.#text.length) this.#readNext();
    // A group more would change what the numbers refer to.
    if (this.#isNumbered && this.#added > 0) fail('an atomic group beside a numbered reference');
    return this.#out.join('') + ')'.repeat(this.#scope.opened.length);
  }

  #readNext(): void {
    if (this.#scope.isExtended && this.#take(SPACE)) return;
    const quantifier = this.#take(QUANTIFIER);
    if (quantifier) this.#writeQuantifier(quantifier);
    else if (this.#char() === '(') this.#readGroup();
    else if (this.#char() === ')') this.#closeGroup();
    else if (this.#char() === '|') this.#readAlternative();
    else this.#emit(this.#readAtom());
  }

  #char(): string {
    return this.#text[this.#at] ?? '';
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found) this.#at = expression.lastIndex;
    return found;
  }

  #emit(piece: string): void {
    this.#atom = this.#out.length;
    this.#out.push(piece);
  }

  #open(opening: string, close = ')'): void {
    this.#outer.push(this.#scope);
    const { isExtended } = this.#scope;
    this.#scope = { start: this.#out.length, close, isExtended, opened: [] };
    this.#out.push(opening);
  }

  /** A group that is not matched again, as the text that it matched and a reference to it. */
  #atomic(): readonly [string, string] {
    const name = `atomic${++this.#added}`;
    return [`(?:(?=(?<${name}>`, `))\\k<${name}>)`];
  }

  /** `(?i)` lasts until the end of the group, `(?i:` until its own. */
  #setFlags(on: string, off: string, isGroup: boolean): void {
    const [native = '', ended = ''] = [on, off].map((flags) =>
      flags.replace(IDLE_FLAGS, '').replace('x', ''),
    );
    if (/[^ims]/.test(native + ended)) fail(`the flags (?${on}${off && `-${off}`})`);
    const isIdle = native === '' && ended === '';
    const opening = isIdle ? '(?:' : `(?${native}${ended && `-${ended}`}:`;
    if (isGroup) this.#open(opening);
    else if (!isIdle) {
      this.#out.push(opening);
      this.#scope = { ...this.#scope, opened: [...this.#scope.opened, opening] };
    }
    const isExtended = on.includes('x') || (this.#scope.isExtended && !off.includes('x'));
    this.#scope = { ...this.#scope, isExtended };
  }

  #readGroup(): void {
    if (this.#take(COMMENT)) return;
    const recursion = this.#take(RECURSION);
    if (recursion) fail(recursion[0]);
    const reference = this.#take(NAMED_REFERENCE);
    const named = reference ? null : this.#take(NAMED_GROUP);
    const flags = this.#text.startsWith('(?:', this.#at) ? null : this.#take(FLAGS);
    if (reference) this.#emit(`\\k<${reference.slice(1).join('')}>`);
    else if (named) this.#open(`(?<${named[1] ?? named[2]}>`);
    else if (flags) this.#setFlags(flags[1] ?? '', flags[2] ?? '', flags[3] === ':');
    else if (this.#take(ATOMIC_GROUP)) this.#open(...this.#atomic());
    else this.#open(this.#take(PLAIN_GROUP)?.[0] ?? '(');
  }

  #closeGroup(): void {
    this.#at++;
    const outer = this.#outer.pop();
    if (!outer) fail('an unmatched parenthesis');
    const { opened, close, start } = this.#scope;
    this.#out.push(')'.repeat(opened.length) + close);
    this.#atom = start;
    this.#scope = outer;
  }

  /** Flags hold in the alternatives that follow, too. */
  #readAlternative(): void {
    this.#at++;
    const { opened } = this.#scope;
    this.#emit(`${')'.repeat(opened.length)}|${opened.join('')}`);
  }

  #writeQuantifier([quantifier, most, mode]: RegExpExecArray): void {
    const count = most === undefined ? quantifier : `{0,${most}}${mode}`;
    if (mode !== '+') {
      this.#out.push(count);
      return;
    }
    const [before, after] = this.#atomic();
    const atom = this.#out.splice(this.#atom).join('');
    this.#emit(`${before}${atom}${count.slice(0, -1)}${after}`);
  }

  #readAtom(): string {
    if (this.#char() === '[') return this.#readClass();
    if (this.#char() !== '\\') {
      const character = this.#char();
      this.#at++;
      return this.#isUnicode && /[{}\]]/.test(character) ? `\\${character}` : character;
    }
    const reference = this.#take(NAMED_REFERENCE);
    if (reference) return `\\k<${reference.slice(1).join('')}>`;
    const numbered = this.#take(NUMBERED_REFERENCE);
    if (!numbered) return this.#readEscape(false);
    this.#isNumbered = true;
    return `\\${numbered[1] ?? numbered[2]}`;
  }

  /** A character or a class of characters after a backslash. */
  #readEscape(isInClass: boolean): string {
    const quoted = this.#take(QUOTED);
    if (quoted) return (quoted[1] ?? '').replace(isInClass ? /[\^\\\]-]/g : ALL_SYNTAX, '\\$&');
    const code = this.#take(CODE_POINT);
    if (code) return codePoint(Number.parseInt(code[1] ?? '', 16));
    const property = this.#take(PROPERTY);
    if (property) return readProperty(property, isInClass);
    const letter = this.#text[this.#at + 1] ?? '';
    this.#at += 2;
    const known = CHARACTERS[letter] ?? (isInClass ? undefined : ESCAPES[letter]);
    if (known !== undefined) return known;
    if (/[A-Za-z]/.test(letter) && !KNOWN_ESCAPES.test(letter)) fail(`\\${letter}`);
    const isIdle = this.#isUnicode && !/[A-Za-z0-9]/.test(letter) && !SYNTAX.test(letter);
    return isIdle && !(isInClass && letter === '-') ? letter : `\\${letter}`;
  }

  #readClass(): string {
    const start = this.#at;
    const alone = this.#take(NAMED_CLASS);
    const membersAlone = namedClass(alone?.[2]);
    if (alone && membersAlone !== undefined) return `[${alone[1]}${membersAlone}]`;
    this.#at = start + (this.#text[start + 1] === '^' ? 2 : 1);
    let members = this.#text.slice(start, this.#at);
    while (this.#at < this.#text.length && this.#char() !== ']') members += this.#readMember();
    const end = this.#char();
    this.#at++;
    return members + end;
  }

  #readMember(): string {
    const named = this.#take(NAMED_CLASS);
    if (named) return (named[1] ? undefined : namedClass(named[2])) ?? fail(named[0]);
    if (this.#take(SET_OPERATION)) fail('a set operation in a class');
    if (this.#char() === '\\') return this.#readEscape(true);
    const character = this.#char();
    this.#at++;
    return character;
  }
}

const namedClass = (name = ''): string | undefined =>
  Object.hasOwn(NAMED_CLASSES, name) ? NAMED_CLASSES[name] : undefined;

const codePoint = (code: number): string =>
  code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;

/** A property of Unicode by the name that ECMAScript has for it, or a class of ASCII that Java names so. */
function readProperty(
  [written, letter = '', negation, braced, short]: RegExpExecArray,
  isInClass: boolean,
): string {
  const name = braced ?? short ?? '';
  const isNegated = (letter === 'P') !== (negation === '^');
  const plain = name.replace(/^Is(?=[A-Z])/, '');
  const names = [name, `Script=${name}`, plain, `Script=${plain}`];
  const known = names.find((each) => compiles(`\\p{${each}}`, 'u'));
  if (known !== undefined) return `\\${isNegated ? 'P' : 'p'}{${known}}`;
  const members = namedClass(plain.toLowerCase());
  if (members === undefined || (isInClass && isNegated)) return fail(written);
  return isInClass ? members : `[${isNegated ? '^' : ''}${members}]`;
}
