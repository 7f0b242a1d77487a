import { MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_NODES } from './document-limits.ts';
import { type DocumentSource, SourceFault } from './document-source.ts';

/** An object or array that is open at the scanner's place. */
interface Frame {
  /** Keys seen; null for an array. */
  readonly keys: Set<string> | null;
  /** Key or index of the member under way. */
  token: string;
  index: number;
  expectsKey: boolean;
}

/** Called for each member with the frames from the root to its container; true stops the scan. */
type OnMember = (frames: readonly Frame[], offset: number) => boolean;

/**
 * JSON text as a source; undefined when it is not JSON. JSON.parse is a hundred times faster than a YAML parser,
 * but it hides duplicate keys and knows no lines, so a scan of the (by then surely valid) text adds these.
 */
export function readJson(text: string): DocumentSource | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return undefined;
  }
  let members = 0;
  scan(text, (frames, offset) => {
    if (frames.length > MAX_DOCUMENT_DEPTH) {
      throw new SourceFault('The document is nested too deeply.', lineAt(text, offset));
    }
    if (++members > MAX_DOCUMENT_NODES) {
      throw new SourceFault('The document has too many parts.', lineAt(text, offset));
    }
    noteKey(frames, text, offset);
    return false;
  });
  return { tree, lineOf: (tokens) => lineAt(text, offsetOf(text, tokens)) };
}

function noteKey(frames: readonly Frame[], text: string, offset: number): void {
  const frame = frames.at(-1);
  if (!frame?.keys) return;
  if (frame.keys.has(frame.token)) {
    throw new SourceFault(`The key "${frame.token}" is there twice.`, lineAt(text, offset));
  }
  frame.keys.add(frame.token);
}

/** Offset of the deepest member on the way to the one that is looked for. */
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
  // A list's element is found at the bracket or comma before it.
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
        frames.push({ keys: new Set(), token: '', index: 0, expectsKey: true });
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

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
