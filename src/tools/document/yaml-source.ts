import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument as parseYaml,
  type YAMLMap,
} from 'yaml';
import { setOwn } from '../../platform/kernel/plain-json.ts';
import { assertFewYamlValues } from './assert-few-values.ts';
import { MAX_DOCUMENT_DEPTH } from './document-limits.ts';
import {
  type DocumentSource,
  DocumentSyntaxError,
  keyTwice,
  TOO_DEEP,
  tooManyValues,
} from './document-source.ts';

/** Reads YAML 1.2. Throws DocumentSyntaxError. */
export function readYaml(text: string, maxValues: number): DocumentSource {
  assertFewYamlValues(text, maxValues);
  const lines = new LineCounter();
  const document = parseText(text, lines);
  const lineOfNode = (node: unknown): number => lines.linePos(startOf(node) ?? 0).line || 1;
  return {
    tree: createConverter(lineOfNode, maxValues)(document.contents, 0),
    lineOf: (tokens) => lineOfNode(nodeAt(document.contents, tokens)),
  };
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
  if (error) {
    throw new DocumentSyntaxError(
      `This is not valid YAML: ${error.message}`,
      lineCounter.linePos(error.pos[0]).line || 1,
    );
  }
  return document;
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

  function convert(node: unknown, depth: number): unknown {
    if (depth > MAX_DOCUMENT_DEPTH) {
      throw new DocumentSyntaxError(TOO_DEEP, lineOf(node));
    }
    if (++nodes > maxValues) {
      throw new DocumentSyntaxError(tooManyValues(maxValues), lineOf(node));
    }
    if (isAlias(node)) return expand(node.source, node, depth);
    if (isScalar(node)) {
      noteAnchor(node);
      return scalar(node.value, node);
    }
    if (isSeq(node)) {
      noteAnchor(node);
      return node.items.map((item) => convert(item, depth + 1));
    }
    if (isMap(node)) {
      noteAnchor(node);
      return convertMap(node, depth);
    }
    return null;
  }

  function convertMap(map: YAMLMap, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (const { key, value } of map.items) {
      const name = keyName(key);
      if (name === undefined)
        throw new DocumentSyntaxError('A key must be a scalar, not a list or a map.', lineOf(key));
      if (Object.hasOwn(object, name)) {
        const first = map.items.find((item) => keyName(item.key) === name);
        throw keyTwice(name, lineOf(first?.key), lineOf(key));
      }
      setOwn(object, name, convert(value, depth + 1));
    }
    return object;
  }

  function expand(source: string, alias: Node, depth: number): unknown {
    const target = anchors.get(source);
    if (!target)
      throw new DocumentSyntaxError(
        `The alias "*${source}" has no anchor above it.`,
        lineOf(alias),
      );
    expanding++;
    const value = convert(target, depth + 1);
    expanding--;
    return value;
  }

  /** An alias refers to the last anchor with its name before it, so anchors are recorded in document order only. */
  function noteAnchor(node: Node & { anchor?: string }): void {
    if (node.anchor && expanding === 0) anchors.set(node.anchor, node);
  }

  function scalar(value: unknown, node: unknown): unknown {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new DocumentSyntaxError('JSON cannot represent this number.', lineOf(node));
    }
    return value ?? null;
  }

  return convert;
}

const keyName = (key: unknown): string | undefined =>
  isScalar(key) ? String(key.value ?? 'null') : undefined;

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return Array.isArray(node.range) ? (node.range[0] as number) : undefined;
}

/** The key of the named member, or the node of an array element, as deep as the path exists. */
function nodeAt(root: unknown, tokens: readonly string[]): unknown {
  let found: unknown = root;
  let node: unknown = root;
  for (const token of tokens) {
    const pair: Pair | undefined = isMap(node)
      ? node.items.find(({ key }) => keyName(key) === token)
      : undefined;
    const next: unknown = isSeq(node) ? node.items[Number(token)] : pair?.value;
    if (!pair && !next) return found;
    found = pair?.key ?? next;
    node = next;
  }
  return found;
}
