import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';
import { followed } from './described-operation.ts';

/** A place in a response. */
export interface ResponsePlace {
  /** Pointer into the response. */
  readonly at: string;
  /** Names on the way. */
  readonly path: readonly string[];
}

/** Where a schema, or a response itself, has its rows, their number and its result code. */
export interface ResponseShape {
  readonly rows: ResponsePlace | null;
  readonly total: ResponsePlace | null;
  readonly code: ResponsePlace | null;
  readonly message: ResponsePlace | null;
  /** Names of the outermost members that hold others. */
  readonly outermost: readonly string[];
}

/** A tree of names: a schema's properties, or the members of a response. */
interface Node {
  readonly name: string;
  readonly kind: 'list' | 'object' | 'value';
  /** Of an object, or of the elements of a list. */
  readonly members: readonly Node[];
}

const MAX_DEPTH = 8;
const MAX_MEMBERS = 300;
/** Of a whole schema, which may contain itself many times. */
const MAX_NODES = 5000;

const ROW_NAMES = [
  /^item$/i,
  /^(row|rows|list|data|result|results)$/i,
  /_(list|item)$|list$/i,
  /^items$/i,
];
const TOTAL_NAME =
  /^(total_?(count|cnt|rows)|tatalcount|match_?count|tot_?cnt|list_total_count|total)$/i;
const CODE_NAME = /^(result_?code|statuscode|rsltcode|return_?reason_?code|errcode)$/i;
const MESSAGE_NAME =
  /^(result_?(msg|message)|statusmsg|statusmessage|rsltmsg|errmsg|return_?auth_?msg)$/i;
const ENVELOPE_NAME = /^(cmmMsg)?header$/i;

/** The shape that a schema of a description states. */
export const shapeOfSchema = (root: JsonObject, schema: JsonObject): ResponseShape =>
  shapeOf(schemaNode({ root, left: MAX_NODES }, '', schema, 0));

/** The shape that a response has. */
export const shapeOfResponse = (response: unknown): ResponseShape =>
  shapeOf(valueNode('', response, 0));

/** How many more nodes a schema may have. What is beyond them is left out. */
interface Budget {
  readonly root: JsonObject;
  left: number;
}

function schemaNode(budget: Budget, name: string, given: unknown, depth: number): Node {
  const { root } = budget;
  const schema = followed(root, given);
  const elements = own(schema, 'items');
  const isList = ownText(schema, 'type') === 'array' || isObject(elements);
  const holder = isList ? followed(root, elements) : schema;
  const properties = depth < MAX_DEPTH ? Object.entries(ownObject(holder, 'properties')) : [];
  const counted = properties.slice(0, Math.min(MAX_MEMBERS, budget.left));
  budget.left -= counted.length;
  const members = counted.map(([key, value]) => schemaNode(budget, key, value, depth + 1));
  return { name, kind: isList ? 'list' : members.length > 0 ? 'object' : 'value', members };
}

function valueNode(name: string, value: unknown, depth: number): Node {
  if (Array.isArray(value)) {
    const first = value.find(isObject);
    const members = first ? valueNode(name, first, depth + 1).members : [];
    return { name, kind: 'list', members };
  }
  if (!isObject(value) || depth >= MAX_DEPTH) return { name, kind: 'value', members: [] };
  const members = Object.entries(value)
    .slice(0, MAX_MEMBERS)
    .map(([key, member]) => valueNode(key, member, depth + 1));
  return { name, kind: 'object', members };
}

interface Placed {
  readonly node: Node;
  readonly path: readonly string[];
}

function shapeOf(tree: Node): ResponseShape {
  const all = placesIn(tree, []);
  const rows = rowsAmong(all);
  const outside = all.filter(({ path }) => !rows || !startsWith(path, rows.path));
  const find = (name: RegExp) =>
    outside.filter(({ node }) => node.kind === 'value' && name.test(node.name));
  const code = find(CODE_NAME).toSorted(byEnvelope)[0] ?? null;
  const message =
    find(MESSAGE_NAME).toSorted(byNearness(code?.path ?? []))[0] ?? besides(code, outside) ?? null;
  const total = find(TOTAL_NAME).toSorted(byNearness(rows?.path ?? []))[0] ?? null;
  return {
    rows: rows ? placeOf(rows) : null,
    total: total && placeOf(total),
    code: code && placeOf(code),
    message: message && placeOf(message),
    outermost: tree.members.flatMap(({ name, kind }) => (kind === 'value' ? [] : name)),
  };
}

const placesIn = (node: Node, path: readonly string[]): Placed[] =>
  node.members.flatMap((member) => {
    const inner = [...path, member.name];
    // Lists within rows are columns.
    return [
      { node: member, path: inner },
      ...(member.kind === 'list' ? [] : placesIn(member, inner)),
    ];
  });

/** A `message` in the same object as the code. */
const besides = (code: Placed | null, all: readonly Placed[]): Placed | undefined =>
  code === null
    ? undefined
    : all.find(
        ({ node, path }) =>
          /^message$/i.test(node.name) &&
          path.length === code.path.length &&
          startsWith(path, code.path.slice(0, -1)),
      );

/** The list, or the only row, that most likely has the data. */
function rowsAmong(all: readonly Placed[]): Placed | undefined {
  const holders = all.filter(({ node }) => node.kind !== 'value' && node.members.length > 0);
  for (const name of ROW_NAMES) {
    const named = holders.filter(({ node }) => name.test(node.name) && isRow(node));
    const found = named.find(({ node }) => node.kind === 'list') ?? named.at(-1);
    if (found) return found;
  }
  const lists = holders.filter(({ node }) => node.kind === 'list' && isRow(node));
  if (lists[0] || !all.some(({ node }) => CODE_NAME.test(node.name))) return lists[0];
  // A single row may be an object beside the result code.
  return holders.filter(({ node }) => isRow(node) && !isText(node)).at(-1);
}

/** What only carries words about the response. */
const isText = ({ members }: Node): boolean => members.every(({ name }) => MESSAGE_NAME.test(name));

/** A row has columns of its own; what only holds other objects is on the way to them, and what has a result code is around them. */
const isRow = ({ kind, members }: Node): boolean =>
  members.some((member) => member.kind === 'value') &&
  (kind === 'list' || !members.some(({ name }) => isOfEnvelope(name)));

const isOfEnvelope = (name: string): boolean =>
  CODE_NAME.test(name) || TOTAL_NAME.test(name) || PAGE_NAME.test(name);
const PAGE_NAME = /^(page_?no|num_?of_?rows|page_?index|per_?page|successyn)$/i;

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((name, index) => path[index] === name);

const byEnvelope = (a: Placed, b: Placed): number =>
  Number(isInEnvelope(b)) - Number(isInEnvelope(a));
const isInEnvelope = ({ path }: Placed): boolean => ENVELOPE_NAME.test(path.at(-2) ?? '');

/** Those that share most of their way with a place come first, and of these the outermost. */
const byNearness =
  (place: readonly string[]) =>
  (a: Placed, b: Placed): number =>
    shared(b.path, place) - shared(a.path, place) || a.path.length - b.path.length;

function shared(path: readonly string[], other: readonly string[]): number {
  const differing = path.findIndex((name, index) => other[index] !== name);
  return differing < 0 ? path.length : differing;
}

const placeOf = ({ path }: Placed): ResponsePlace => ({
  at: path.reduce((pointer, name) => pointerTo(pointer, name), ''),
  path,
});
