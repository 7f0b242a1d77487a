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
import { setOwn } from '../plain-json.ts';
import { MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_NODES } from './document-limits.ts';
import { type DocumentSource, SourceFault } from './document-source.ts';

/** YAML 1.2 text as a source. Throws SourceFault. */
export function readYaml(text: string): DocumentSource {
  const lines = new LineCounter();
  const document = parseText(text, lines);
  const lineOfNode = (node: unknown): number => lines.linePos(startOf(node) ?? 0).line || 1;
  return {
    tree: createConverter(lineOfNode)(document.contents, 0),
    lineOf: (tokens) => lineOfNode(nodeAt(document.contents, tokens)),
  };
}

function parseText(text: string, lineCounter: LineCounter): Document.Parsed {
  // `uniqueKeys` compares every key with every other: quadratic, so the converter below does it instead.
  const document = parseYaml(text, {
    lineCounter,
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) {
    throw new SourceFault(
      `This is not valid YAML: ${error.message}`,
      lineCounter.linePos(error.pos[0]).line || 1,
    );
  }
  return document;
}

/**
 * Makes the converter of nodes to plain values. Aliases are expanded, since whoever reads the tree would walk
 * them again and again anyway; counting what comes out is what stops an alias bomb.
 */
function createConverter(
  lineOf: (node: unknown) => number,
): (node: unknown, depth: number) => unknown {
  const anchors = new Map<string, Node>();
  let nodes = 0;
  let expanding = 0;

  function convert(node: unknown, depth: number): unknown {
    if (depth > MAX_DOCUMENT_DEPTH) {
      throw new SourceFault('The document is nested too deeply.', lineOf(node));
    }
    if (++nodes > MAX_DOCUMENT_NODES) {
      throw new SourceFault('The document has too many parts, aliases counted.', lineOf(node));
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
      if (name === undefined) throw new SourceFault('A key must be a plain text.', lineOf(key));
      if (Object.hasOwn(object, name)) {
        throw new SourceFault(`The key "${name}" is there twice.`, lineOf(key));
      }
      setOwn(object, name, convert(value, depth + 1));
    }
    return object;
  }

  function expand(source: string, alias: Node, depth: number): unknown {
    const target = anchors.get(source);
    if (!target) throw new SourceFault(`There is no anchor "${source}" above.`, lineOf(alias));
    expanding++;
    const value = convert(target, depth + 1);
    expanding--;
    return value;
  }

  /** An alias means the last anchor of its name before it, so anchors count only in document order. */
  function noteAnchor(node: Node & { anchor?: string }): void {
    if (node.anchor && expanding === 0) anchors.set(node.anchor, node);
  }

  function scalar(value: unknown, node: unknown): unknown {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new SourceFault('JSON has no such number.', lineOf(node));
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

/** The key of the named member, or the node of a list's element, as deep as the tokens lead. */
function nodeAt(root: unknown, tokens: readonly string[]): unknown {
  let shown: unknown = root;
  let node: unknown = root;
  for (const token of tokens) {
    const pair: Pair | undefined = isMap(node)
      ? node.items.find(({ key }) => keyName(key) === token)
      : undefined;
    const next: unknown = isSeq(node) ? node.items[Number(token)] : pair?.value;
    if (!pair && !next) return shown;
    shown = pair?.key ?? next;
    node = next;
  }
  return shown;
}
