import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import type { RowPlace, RowSearch } from '../model.ts';
import { isNamedLike } from './path-names.ts';
import {
  BESIDE_LISTS,
  IDENTITIES,
  isBeside,
  pageRoleOf,
  plainName,
  ROW_NAMES,
  STRICT_PAGE_NAMES,
  WEAK_ROW_NAMES,
  WRAPPERS,
} from './row-names.ts';

/** What the elements of a list are; `none`: the list is empty. */
export type Elements = 'objects' | 'scalars' | 'lists' | 'mixed' | 'none' | 'unknown';

/** A response schema or a response, as far as rows are looked for in it. */
export interface Tree<Node> {
  readonly kind: (node: Node) => 'object' | 'list' | 'scalar' | 'unknown';
  /** Of an object. None for one with more members than a page has. */
  readonly members: (node: Node) => readonly (readonly [name: string, node: Node])[];
  readonly elements: (list: Node) => Elements;
  /** Whether every element of the list has this member, with an object. */
  readonly allHave: (list: Node, member: string) => boolean;
}

/** A list of rows in a tree. */
export interface FoundRows<Node> extends Pick<RowPlace, 'items' | 'itemWrapper' | 'evidence'> {
  readonly list: Node;
  /** The objects around the list, innermost first: they may have the total and the next page. */
  readonly around: readonly Around<Node>[];
}

export interface Around<Node> {
  readonly node: Node;
  readonly pointer: string;
}

/** Members of an object that may hold rows; one with more is a map. */
export const MAX_MEMBERS = 200;

/** Objects around the rows. */
const MAX_DEPTH = 5;

/** Objects that are looked into: a schema may lead to itself in many ways. */
const MAX_OBJECTS = 500;

/**
 * Finds the rows by the rules of docs/rows.md. `none`: it has no rows, or several lists could be them. `unknown`: the tree
 * says too little, which only a schema does.
 */
export function searchRows<Node>(
  tree: Tree<Node>,
  root: Node,
  search: Pick<RowSearch, 'names' | 'isOne'>,
): FoundRows<Node> | 'none' | 'unknown' {
  const kind = tree.kind(root);
  if (kind === 'unknown') return 'unknown';
  if (kind === 'scalar') return 'none';
  if (kind === 'object') return createFinder(tree, search)(root, [], '');
  const found = foundAt(tree, { list: root, pointer: '', around: [], evidence: AT_ROOT });
  return tree.elements(root) === 'mixed' ? 'none' : found;
}

const AT_ROOT = 'The list at the root.';

type Member<Node> = { readonly name: string; readonly plain: string; readonly node: Node };

type Finding<Node> = FoundRows<Node> | 'none' | 'unknown';

/** The words of a path, as names of lists are compared with them. */
interface PathWords extends Pick<RowSearch, 'isOne'> {
  readonly has: (plain: string) => boolean;
}

/** Creates the search in one object, which calls itself for the objects within. */
function createFinder<Node>(
  tree: Tree<Node>,
  { names, isOne }: Pick<RowSearch, 'names' | 'isOne'>,
) {
  const words: PathWords = { isOne, has: (plain) => isNamedLike(plain, { names }) };
  let objects = 0;

  function search(node: Node, outer: readonly Around<Node>[], pointer: string): Finding<Node> {
    if (++objects > MAX_OBJECTS) return 'none';
    const members = tree
      .members(node)
      .map(([name, child]): Member<Node> => ({ name, plain: plainName(name), node: child }));
    if (members.length === 0 || isResource(tree, members)) return 'none';
    const around = [{ node, pointer }, ...outer];
    const chosen = chooseList(tree, members, words);
    if (chosen === 'several') return 'none';
    if (chosen === undefined) return inside(members, around, pointer);
    const { list, evidence } = chosen;
    return foundAt(tree, {
      list: list.node,
      pointer: pointerTo(pointer, list.name),
      around,
      evidence,
    });
  }

  /** Looks into the objects that may only wrap the rows. */
  function inside(
    members: readonly Member<Node>[],
    around: readonly Around<Node>[],
    pointer: string,
  ): Finding<Node> {
    if (around.length >= MAX_DEPTH) return 'none';
    const isOf =
      (kind: string) =>
      (each: Member<Node>): boolean =>
        tree.kind(each.node) === kind;
    const objects = members.filter(isOf('object'));
    const wrapping = objects.filter((each) => isWrapper(each) || words.has(each.plain));
    const wanted = members.filter((each) => !isAside(tree, each));
    const [only, second] = wanted;
    const isOnly = only && !second && isOf('object')(only);
    const described = wanted.length === 0 ? objects : [];
    const inner = wrapping.length > 0 ? wrapping : isOnly ? [only] : described;
    const found = inner.map(({ name, node }) => search(node, around, pointerTo(pointer, name)));
    const [rows, other] = found.filter((each) => typeof each === 'object');
    if (rows) return other ? 'none' : rows;
    const isOpen = members.some((each) => isOf('unknown')(each) && isWrapper(each));
    return isOpen || found.includes('unknown') ? 'unknown' : 'none';
  }

  return search;
}

/** Whether an object only wraps what the response is about. */
const isWrapper = <Node>({ plain }: Member<Node>): boolean =>
  WRAPPERS.has(plain) || ROW_NAMES.has(plain) || /.list$/.test(plain);

/** The list of an object that is its rows, and why; `several`: two could be. */
function chooseList<Node>(tree: Tree<Node>, members: readonly Member<Node>[], words: PathWords) {
  const lists = members.filter(
    ({ plain, node }) =>
      tree.kind(node) === 'list' &&
      tree.elements(node) !== 'mixed' &&
      (!BESIDE_LISTS.has(plain) || words.has(plain)),
  );
  const isAlone = (list: Member<Node>): boolean =>
    members.every((each) => each === list || isAside(tree, each));
  const isCertain = (list: Member<Node>): boolean => !words.isOne || isAlone(list);
  const isOfPage = lists.some(({ plain }) => WEAK_ROW_NAMES.has(plain)) && isPage(tree, members);
  const named = lists.filter(
    (list) =>
      (ROW_NAMES.has(list.plain) && isCertain(list)) ||
      (WEAK_ROW_NAMES.has(list.plain) && (isOfPage || isAlone(list))),
  );
  const best = bestOf(tree, named);
  if (best) return { list: best, evidence: `The list "${best.name}", which is named like rows.` };
  if (named.length > 1) return 'several';
  const like = bestOf(
    tree,
    lists.filter((list) => words.has(list.plain) && isCertain(list)),
  );
  if (like)
    return { list: like, evidence: `The list "${like.name}", which is named like the path.` };
  const [only, second] = lists;
  if (!only || second || !isAlone(only)) return undefined;
  const isOfThings =
    members.length === 1 || ['objects', 'none', 'unknown'].includes(tree.elements(only.node));
  return isOfThings ? { list: only, evidence: `The only list, "${only.name}".` } : undefined;
}

/** Whether the object is one thing that has lists, and no page of things. */
function isResource<Node>(tree: Tree<Node>, members: readonly Member<Node>[]): boolean {
  const isThing = members.some(
    ({ plain, node }) => IDENTITIES.has(plain) && tree.kind(node) !== 'list',
  );
  return isThing && !isPage(tree, members) && !members.some(({ plain }) => plain === 'jsonrpc');
}

/** Whether something speaks of pages, here or in an object that describes them. */
const isPage = <Node>(tree: Tree<Node>, members: readonly Member<Node>[]): boolean =>
  members.some(
    ({ plain, node }) =>
      STRICT_PAGE_NAMES.has(plain) ||
      (tree.kind(node) === 'object' &&
        describesPage(plain) &&
        tree.members(node).some(([name]) => STRICT_PAGE_NAMES.has(plainName(name)))),
  );

function describesPage(plain: string): boolean {
  const role = pageRoleOf(plain);
  return role !== 'none' && role.describesPage;
}

/** Whether a member describes the page: a list of objects does only under a name that such lists have. */
const isAside = <Node>(tree: Tree<Node>, { plain, node }: Member<Node>): boolean =>
  tree.kind(node) === 'list' ? BESIDE_LISTS.has(plain) : isBeside(plain);

/** The one list that is rows rather than the others: of nodes rather than of edges, of objects rather than of values. */
function bestOf<Node>(tree: Tree<Node>, lists: readonly Member<Node>[]): Member<Node> | undefined {
  if (lists.length === 1) return lists[0];
  const nodes = lists.find(({ plain }) => plain === 'nodes');
  if (nodes && lists.every(({ plain }) => plain === 'nodes' || plain === 'edges')) return nodes;
  const objects = lists.filter(({ node }) => tree.elements(node) === 'objects');
  return objects.length === 1 ? objects[0] : undefined;
}

/** The member that has the row in an edge of GraphQL. */
const EDGE_NODE = 'node';

function foundAt<Node>(
  tree: Tree<Node>,
  found: {
    readonly list: Node;
    readonly pointer: string;
    readonly around: readonly Around<Node>[];
    readonly evidence: string;
  },
): FoundRows<Node> {
  const { list, pointer, around, evidence } = found;
  const isEdges = pointer.toLowerCase().endsWith('/edges') && tree.allHave(list, EDGE_NODE);
  return { items: pointer, itemWrapper: isEdges ? EDGE_NODE : null, evidence, list, around };
}
