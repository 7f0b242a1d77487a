import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { pageRoleOf } from './row-names.ts';
import type { Around, Tree } from './search-rows.ts';

/** JSON pointers to what describes the pages of rows. */
export interface PagePlaces {
  readonly total: string | null;
  readonly next: string | null;
}

/** Where a schema has the total and what leads to the next page: beside the rows, or in the objects there that describe the page. */
export function pagePlaces<Node>(tree: Tree<Node>, around: readonly Around<Node>[]): PagePlaces {
  const found: { total: string | null; count: string | null; next: string | null } = {
    total: null,
    count: null,
    next: null,
  };
  const visit = ({ node, pointer }: Around<Node>, depth: number): void => {
    const inner: Around<Node>[] = [];
    for (const [name, child] of tree.members(node)) {
      const role = pageRoleOf(name);
      if (role === 'none') continue;
      const at = pointerTo(pointer, name);
      if (role.describesPage && tree.kind(child) === 'object')
        inner.push({ node: child, pointer: at });
      if (role.isTotal) found.total ??= at;
      if (role.isCount && tree.kind(child) === 'scalar') found.count ??= at;
      if (role.isNext) found.next ??= at;
    }
    if (depth < MAX_INNER) for (const each of inner) visit(each, depth + 1);
  };
  for (const each of around) visit(each, 0);
  return { total: found.total ?? found.count, next: found.next };
}

/** Objects that describe a page, within one another. */
export const MAX_INNER = 2;
