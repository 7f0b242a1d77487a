import { SaxesParser } from 'saxes';
import { JsonDocument } from '../../platform/kernel/json-document.ts';

/** How XML is read. */
export interface XmlReading {
  /** Root elements (without prefix) whose document loses the prefixes of its names. */
  readonly envelopes?: ReadonlySet<string> | undefined;
  /** Whether text among elements is refused: a member `#text` would lose its place. */
  readonly isOrdered?: boolean;
}

/**
 * Reads XML in UTF-8 as JSON. XML that is not well-formed is repaired once; throws the Error of the original if that
 * does not help.
 */
export function readXml(xml: Buffer, reading?: XmlReading): JsonDocument {
  const text = xml.toString();
  return new JsonDocument(Buffer.from(JSON.stringify(foldOrRepair(text, reading))));
}

function foldOrRepair(text: string, reading?: XmlReading) {
  try {
    return foldXml(text, reading);
  } catch (error) {
    // A declaration must come first, and a control character before it is a space now.
    const clean = cleanXml(text).trimStart();
    if (clean === text) throw error;
    try {
      return foldXml(clean, reading);
    } catch {
      throw error;
    }
  }
}

/** A folded element: text, or an object of attributes, text and children. */
export type XmlNode = string | { [name: string]: XmlNode | XmlNode[] };

type XmlObject = Exclude<XmlNode, string>;

const MAX_DEPTH = 200;
const MAX_NODES = 1_000_000;

/** A page for people instead of data; some are well-formed enough to be folded. */
const HTML_ROOT = /^(html|head|body|script|div)$/i;

/** An element between its start tag and its end tag. */
interface OpenElement {
  readonly name: string;
  /** Created when the element has an attribute or a child. */
  object: XmlObject | null;
  text: string;
}

/** Element names are untrusted: `__proto__` must become an own property like any other. */
function define(object: XmlObject, name: string, value: XmlNode | XmlNode[]): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else object[name] = value;
}

/** Repeated elements become an array; `items.item` is always one (docs/contract.md#payloads). */
function addChild(parent: OpenElement, name: string, value: XmlNode): void {
  parent.object ??= {};
  const present = Object.hasOwn(parent.object, name) ? parent.object[name] : undefined;
  if (Array.isArray(present)) present.push(value);
  else if (present !== undefined) define(parent.object, name, [present, value]);
  else define(parent.object, name, parent.name === 'items' && name === 'item' ? [value] : value);
}

/** The node of a closed element. Text is trimmed: upstreams pad their values with blanks. */
function nodeOf(element: OpenElement): XmlNode {
  const { name, object, text } = element;
  const trimmed = text.trim();
  if (trimmed !== '') {
    if (!object) return trimmed;
    object['#text'] = trimmed;
  }
  if (name === 'items' && !hasElements(element)) return { ...object, item: [] };
  return object ?? '';
}

const hasElements = ({ object }: OpenElement): boolean =>
  object !== null && Object.keys(object).some((key) => key[0] !== '@');

const isMixed = (element: OpenElement): boolean =>
  element.text.trim() !== '' && hasElements(element);

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The named entities of XML. The parser's own table inherits from Object, so that `&constructor;` would resolve. */
const ENTITIES: Record<string, string> = Object.assign(Object.create(null), {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});

/**
 * Folds XML into the tree of docs/contract.md#payloads: attributes as `@name`, text beside them as `#text`, all values
 * strings. Throws an Error for XML that is not well-formed, too deep or too large, for a document type or entity
 * definition, and for an HTML page.
 */
export function foldXml(xml: string, { envelopes, isOrdered }: XmlReading = {}): XmlObject {
  const parser = new SaxesParser({ position: false, xmlns: false });
  parser.ENTITIES = ENTITIES;
  const document: OpenElement = { name: '', object: null, text: '' };
  const open: OpenElement[] = [document];
  let current = document;
  let nodes = 0;
  let hasPrefixes = true;

  parser.on('doctype', () => {
    throw new Error('Document types are refused.');
  });
  parser.on('opentagstart', ({ name }) => {
    if (open.length === 1) hasPrefixes = !envelopes?.has(localName(name));
    if (open.length === 1 && HTML_ROOT.test(name)) throw new Error('This is an HTML page.');
    if (open.length > MAX_DEPTH) throw new Error('The XML is nested too deeply.');
    if (++nodes > MAX_NODES) throw new Error('The XML has too many elements.');
    current = { name: hasPrefixes ? name : localName(name), object: null, text: '' };
    open.push(current);
  });
  parser.on('attribute', ({ name, value }) => {
    if (name === 'xmlns' || name.startsWith('xmlns:')) return;
    current.object ??= {};
    current.object[`@${name}`] = value;
  });
  const addText = (text: string): void => {
    current.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = current;
    open.pop();
    current = open.at(-1) ?? document;
    if (isOrdered && isMixed(element)) throw new Error('Text and elements are mixed.');
    addChild(current, element.name, nodeOf(element));
  });

  parser.write(xml).close();
  return document.object ?? {};
}

/**
 * The references of a text: those that XML itself knows, by name or by number, `&nbsp;`, and an `&` that starts none. Also
 * matches the parts of XML in which `&` is an ordinary character; an open one extends to the end of the text.
 */
const REFERENCES =
  /<!\[CDATA\[.*?(?:\]\]>|$)|<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)|&(?:(?:amp|lt|gt|quot|apos|nbsp);|#(?:(\d{1,8})|x([\da-fA-F]{1,8}));)?/gs;

/** Characters that XML forbids (XML 1.0, Char), however they are written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what upstreams send by mistake.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\p{Surrogate}\ufffe\uffff]/gu;

const MAX_CODE_POINT = 0x10ffff;

/**
 * Repairs what upstreams often get wrong in otherwise good XML: control characters become spaces, as they do in JSON,
 * `&nbsp;` becomes a no-break space, and an `&` that starts no reference stands for itself. Returns the same string if
 * there is nothing to repair. Reads the text once.
 */
export const cleanXml = (xml: string): string =>
  xml.replace(FORBIDDEN, ' ').replace(REFERENCES, (found, decimal, hexadecimal) => {
    if (found === '&') return '&amp;';
    if (found === '&nbsp;') return '\u00a0';
    const digits = decimal ?? hexadecimal;
    if (digits === undefined) return found;
    const codePoint = Number.parseInt(digits, decimal === undefined ? 16 : 10);
    const isAllowed =
      codePoint <= MAX_CODE_POINT && String.fromCodePoint(codePoint).search(FORBIDDEN) < 0;
    return isAllowed ? found : ' ';
  });
