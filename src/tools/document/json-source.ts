import { assertFewJsonValues, closingQuote } from './assert-few-values.ts';
import { MAX_DOCUMENT_DEPTH } from './document-limits.ts';
import { type DocumentSource, DocumentSyntaxError, keyTwice, TOO_DEEP } from './document-source.ts';

/** An object or array that contains the scanner's position. */
interface Frame {
  /** Keys seen, with their offsets; null for an array. */
  readonly keys: Map<string, number> | null;
  /** Key or index of the current member. */
  token: string;
  index: number;
  expectsKey: boolean;
}

/** Called for each member with the frames from the root to its container. Returning true stops the scan. */
type OnMember = (frames: readonly Frame[], offset: number) => boolean;

/**
 * Reads JSON; undefined if the text is not JSON. JSON.parse is a hundred times faster than a YAML parser, but it hides
 * duplicate keys and has no line numbers, so a scan of the text, by then known to be valid, adds these.
 * Throws DocumentSyntaxError.
 */
export function readJson(text: string, maxValues: number): DocumentSource | undefined {
  assertFewJsonValues(text, maxValues);
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return undefined;
  }
  scan(text, (frames, offset) => {
    if (frames.length > MAX_DOCUMENT_DEPTH) {
      throw new DocumentSyntaxError(TOO_DEEP, lineAt(text, offset));
    }
    noteKey(frames, text, offset);
    return false;
  });
  return { tree, lineOf: (tokens) => lineAt(text, offsetOf(text, tokens)) };
}

function noteKey(frames: readonly Frame[], text: string, offset: number): void {
  const frame = frames.at(-1);
  if (!frame?.keys) return;
  const first = frame.keys.get(frame.token);
  if (first !== undefined) {
    throw keyTwice(frame.token, lineAt(text, first), lineAt(text, offset));
  }
  frame.keys.set(frame.token, offset);
}

/** Offset of the deepest existing member on the path. */
function offsetOf(text: string, tokens: readonly string[]): number {
  let found = 0;
  let matched = 0;
  scan(text, (frames, offset) => {
    const depth = frames.length;
    if (depth === matched + 1 && frames.every(({ token }, level) => token === tokens[level])) {
      found = offset;
      matched = depth;
    }
    return matched === tokens.length;
  });
  // An array element is reported at the bracket or comma before it.
  while (/\s/.test(text.charAt(found))) found++;
  return found;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function scan(text: string, onMember: OnMember): void {
  const frames: Frame[] = [];
  let isDone = false;
  for (let at = 0; at < text.length && !isDone; at++) {
    const frame = frames.at(-1);
    switch (text[at]) {
      case '{':
        frames.push({ keys: new Map(), token: '', index: 0, expectsKey: true });
        break;
      case '[':
        frames.push({ keys: null, token: '0', index: 0, expectsKey: false });
        isDone = onMember(frames, at + 1);
        break;
      case '}':
      case ']':
        frames.pop();
        break;
      case ',':
        if (frame?.keys) {
          frame.expectsKey = true;
        } else if (frame) {
          frame.token = String(++frame.index);
          isDone = onMember(frames, at + 1);
        }
        break;
      case '"': {
        const end = closingQuote(text, at);
        if (frame?.expectsKey) {
          frame.token = JSON.parse(text.slice(at, end + 1)) as string;
          frame.expectsKey = false;
          isDone = onMember(frames, at);
        }
        at = end;
      }
    }
  }
}
