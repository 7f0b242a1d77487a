import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument as parseYaml,
  type YAMLMap,
} from 'yaml';
import { losesDigits } from '../../platform/kernel/exact-number.ts';
import { isObject, type JsonObject, setOwn } from '../../platform/kernel/plain-json.ts';
import { MAX_DOCUMENT_DEPTH } from './document-limits.ts';

/** A description as written: its tree, and the line of each part. */
export interface DocumentSource {
  readonly tree: unknown;
  /** Line (from 1) of the part that these reference tokens name, or of the closest part that contains it. */
  readonly lineOf: (tokens: readonly string[]) => number;
}

/** Thrown for a document that cannot be read, with the line (from 1) of the error. */
export class DocumentSyntaxError extends Error {
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

/** An object with the same key on two lines. */
export const keyTwice = (key: string, first: number, second: number): DocumentSyntaxError =>
  new DocumentSyntaxError(
    `The key "${key}" occurs twice: on line ${first} and on line ${second}.`,
    second,
  );

export const TOO_DEEP = `The document is nested deeper than ${MAX_DOCUMENT_DEPTH} levels.`;

export const tooManyValues = (most: number): string =>
  `The document has more than ${most} values, with aliases expanded. Split it.`;

/** Reads YAML 1.2. Throws DocumentSyntaxError. */
export function readYaml(text: string, maxValues: number): DocumentSource {
  assertFewValues(text, maxValues);
  const lines = new LineCounter();
  const { contents } = parseText(text, lines);
  const lineOf = (node: unknown): number =>
    lines.linePos((isNode(node) && node.range?.[0]) || 0).line || 1;
  return {
    tree: createConverter(lineOf, maxValues)(contents, 0),
    lineOf: (tokens) => lineOf(nodeAt(contents, tokens)),
  };
}

/**
 * Runs before the parser, which cannot be interrupted. Every value but the first in a line follows one of these
 * characters.
 */
function assertFewValues(text: string, most: number): void {
  let values = 0;
  for (const _ of text.matchAll(/[\n,[{]/g)) {
    if (++values > most) throw new DocumentSyntaxError(tooManyValues(most));
  }
}

function parseText(text: string, lineCounter: LineCounter): Document.Parsed {
  // `uniqueKeys` compares all keys with one another in quadratic time, so the converter below detects duplicates.
  const document = parseYaml(text, {
    lineCounter,
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (!error) return document;
  const { line } = lineCounter.linePos(error.pos[0]);
  throw new DocumentSyntaxError(`This is not valid YAML: ${error.message}`, line || 1);
}

/**
 * Creates the converter of nodes to plain values. It expands aliases, since any reader of the tree would visit them
 * repeatedly anyway. Counting the expanded values stops an alias bomb.
 */
function createConverter(
  lineOf: (node: unknown) => number,
  maxValues: number,
): (node: unknown, depth: number) => unknown {
  const anchors = new Map<string, Node>();
  let nodes = 0;
  let expanding = 0;

  const refuse = (message: string, node: unknown): never => {
    throw new DocumentSyntaxError(message, lineOf(node));
  };

  function convert(node: unknown, depth: number): unknown {
    if (depth > MAX_DOCUMENT_DEPTH) refuse(TOO_DEEP, node);
    if (++nodes > maxValues) refuse(tooManyValues(maxValues), node);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (!target) return refuse(`The alias "*${node.source}" has no anchor above it.`, node);
      expanding++;
      const value = convert(target, depth + 1);
      expanding--;
      return value;
    }
    if (!isNode(node)) return null;
    // An alias refers to the last anchor with its name before it, so anchors are recorded in document order only.
    if (node.anchor && expanding === 0) anchors.set(node.anchor, node);
    if (isSeq(node)) return node.items.map((item) => convert(item, depth + 1));
    if (isMap(node)) return convertMap(node, depth);
    const { value, source } = node as { value?: unknown; source?: unknown };
    if (typeof value === 'number' && !Number.isFinite(value)) {
      refuse('JSON cannot represent this number.', node);
    }
    if (typeof value === 'number' && losesDigits(source)) return source;
    // A date of YAML 1.1, for example.
    return value instanceof Object ? (sourceOf(node) ?? null) : (value ?? null);
  }

  function convertMap(map: YAMLMap, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    const merged: JsonObject[] = [];
    for (const { key, value } of map.items) {
      const name = keyName(key);
      if (name === undefined) return refuse('A key must be a scalar, not a list or a map.', key);
      if (Object.hasOwn(object, name)) {
        const first = map.items.find((item) => keyName(item.key) === name);
        throw keyTwice(name, lineOf(first?.key), lineOf(key));
      }
      const converted = convert(value, depth + 1);
      const sources = name === MERGE_KEY ? mergedIn(converted) : undefined;
      if (sources) merged.push(...sources);
      else setOwn(object, name, converted);
    }
    // The map's own members count, then the members of the first source that has them.
    for (const source of merged) {
      for (const [name, value] of Object.entries(source)) {
        if (!Object.hasOwn(object, name)) setOwn(object, name, value);
      }
    }
    if ([object['type']].flat().includes('string')) keepTexts(object, map);
    return object;
  }

  return convert;
}

/** The merge key of YAML 1.1 (yaml.org/type/merge.html), which authors of descriptions use. */
const MERGE_KEY = '<<';

/** The maps that a merge key adds; undefined if its value is something else. */
function mergedIn(value: unknown): readonly JsonObject[] | undefined {
  const sources = [value].flat();
  return sources.every(isObject) ? sources : undefined;
}

/** The members of a schema that hold its values. */
const VALUE_MEMBERS = ['enum', 'const', 'default', 'example', 'examples'];

/** In a schema of strings, `true`, `1.10`, `NO` and dates without quotes are the texts that the author wrote. */
function keepTexts(object: Record<string, unknown>, map: YAMLMap): void {
  const types = [object['type']].flat();
  const isText = (value: unknown): boolean =>
    (typeof value === 'number' && !types.includes('number') && !types.includes('integer')) ||
    (typeof value === 'boolean' && !types.includes('boolean'));
  for (const name of VALUE_MEMBERS) {
    const node = map.items.find(({ key }) => keyName(key) === name)?.value;
    const value = object[name];
    if (isSeq(node) && Array.isArray(value)) {
      object[name] = value.map((item, at) =>
        isText(item) ? (sourceOf(node.items[at]) ?? item) : item,
      );
    } else if (isText(value)) object[name] = sourceOf(node) ?? value;
  }
}

/** A scalar as it was written. */
const sourceOf = (node: unknown): string | undefined => (isScalar(node) ? node.source : undefined);

const keyName = (key: unknown): string | undefined =>
  isScalar(key) ? String(key.value ?? 'null') : undefined;

/** The key of the named member, or the node of an array element, as deep as the path exists. */
function nodeAt(root: unknown, tokens: readonly string[]): unknown {
  let found: unknown = root;
  let node: unknown = root;
  for (const token of tokens) {
    const pair = isMap(node) ? node.items.find(({ key }) => keyName(key) === token) : undefined;
    const next: unknown = isSeq(node) ? node.items[Number(token)] : pair?.value;
    if (!pair && !next) return found;
    found = pair?.key ?? next;
    node = next;
  }
  return found;
}
