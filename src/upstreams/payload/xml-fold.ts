import { SaxesParser } from 'saxes';

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
function nodeOf({ name, object, text }: OpenElement): XmlNode {
  const trimmed = text.trim();
  if (trimmed !== '') {
    if (!object) return trimmed;
    object['#text'] = trimmed;
  }
  const hasChildren = object !== null && Object.keys(object).some((key) => key[0] !== '@');
  if (name === 'items' && !hasChildren) return { ...object, item: [] };
  return object ?? '';
}

const NONE: ReadonlySet<string> = new Set();

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
 * definition, and for an HTML page. `envelopes`: if the root element has one of these names, without its prefix, the
 * prefixes of all elements are removed.
 */
export function foldXml(xml: string, envelopes: ReadonlySet<string> = NONE): XmlObject {
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
    if (open.length === 1) hasPrefixes = !envelopes.has(localName(name));
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
    addChild(current, element.name, nodeOf(element));
  });

  parser.write(xml).close();
  return document.object ?? {};
}
