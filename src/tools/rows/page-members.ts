import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import type { Around, Tree } from './find-rows.ts';
import { COUNTS, NEXTS, PAGE_OBJECTS, plainName, TOTALS } from './row-names.ts';

/** A member that may describe the page. */
export interface PageMember<Node> {
  readonly name: string;
  /** Without case and separators. */
  readonly plain: string;
  readonly node: Node;
  readonly pointer: string;
}

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
    tree.kind(member.node) === 'object' && PAGE_OBJECTS.has(member.plain);
  return around.flatMap((object) => {
    const beside = within(object);
    const inner = beside.filter(describing).flatMap(within);
    return [...beside, ...inner, ...inner.filter(describing).flatMap(within)];
  });
}

/** The members that may have the total, best first: `count` may also be the number of rows that came. */
export const totalMembers = <Node>(members: readonly PageMember<Node>[]) => [
  ...members.filter(({ plain }) => TOTALS.has(plain)),
  ...members.filter(({ plain }) => COUNTS.has(plain)),
];

/** The members that may lead to the next page. */
export const nextMembers = <Node>(members: readonly PageMember<Node>[]) =>
  members.filter(({ plain }) => NEXTS.has(plain));
