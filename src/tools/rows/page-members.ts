import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import type { Around, Tree } from './find-rows.ts';
import { COUNTS, isNext, isTotal, PAGE_OBJECTS, plainName } from './row-names.ts';

/** A member that may describe the page. */
export interface PageMember<Node> {
  readonly name: string;
  /** Without case and separators. */
  readonly plain: string;
  readonly node: Node;
  readonly pointer: string;
}

/** May have the total, and other things that callers want. */
const SUMMARY = 'summary';

/** The members beside the rows, and those of the objects there that describe the page; the innermost first. */
export function pageMembers<Node>(
  tree: Tree<Node>,
  around: readonly Around<Node>[],
): readonly PageMember<Node>[] {
  const within = ({ node, pointer }: Around<Node>): PageMember<Node>[] =>
    tree.members(node).map(([name, child]) => ({
      name,
      plain: plainName(name),
      node: child,
      pointer: pointerTo(pointer, name),
    }));
  const describing = (member: PageMember<Node>): boolean =>
    tree.kind(member.node) === 'object' &&
    (PAGE_OBJECTS.has(member.plain) || member.plain === SUMMARY);
  return around.flatMap((object) => {
    const beside = within(object);
    const inner = beside.filter(describing).flatMap(within);
    return [...beside, ...inner, ...inner.filter(describing).flatMap(within)];
  });
}

/** The members that may have the total, best first: `count` may also be the number of rows that came. */
export const totalMembers = <Node>(members: readonly PageMember<Node>[]) => [
  ...members.filter(({ plain }) => isTotal(plain)),
  ...members.filter(({ plain }) => COUNTS.has(plain)),
];

/** The members that may lead to the next page. */
export const nextMembers = <Node>(members: readonly PageMember<Node>[]) =>
  members.filter(({ plain }) => isNext(plain));
