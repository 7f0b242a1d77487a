import { type Static, Type } from 'typebox';
import { orNull, recordOf, TEXT, TIME } from '../platform/input/schema.ts';
import { isoTime } from '../platform/kernel/time.ts';
import { declaredRows } from '../tools/compile/compile-outcome.ts';
import type { PagingArguments, Tool } from '../tools/model.ts';
import type { ChosenExtension } from '../tools/proposal.ts';
import type { FoundRows } from './store/found-rows.ts';

/** Where the rows of a tool are (docs/rows.md). */
export const TOOL_ROWS = Type.Object(
  {
    items: TEXT,
    itemWrapper: orNull(TEXT),
    total: orNull(TEXT),
    next: orNull(TEXT),
    paging: orNull(
      recordOf<PagingArguments>(
        'The arguments that ask for the next page. Null: there is one page.',
      ),
    ),
    evidence: TEXT,
    source: Type.Enum(['description', 'registration', 'response']),
    foundAt: orNull(TIME),
  },
  {
    $id: 'ToolRows',
    description:
      'Where the rows of a response are; null until a description or a response says it.',
  },
);

/** Null if neither the description nor a response of this version of the tool has said it. */
export function rowsOfTool(
  tool: Tool | undefined,
  found: FoundRows | undefined,
  extensions: readonly ChosenExtension[],
): Static<typeof TOOL_ROWS> | null {
  const declared = tool ? declaredRows(tool) : null;
  if (tool && declared && tool.payload.items !== null) {
    const source = isChosen(tool, extensions) ? 'registration' : 'description';
    return { ...declared, source, foundAt: null };
  }
  if (!found || (tool && tool.version !== found.toolVersion))
    return declared && { ...declared, source: 'description', foundAt: null };
  const { total = null, paging = null } = tool?.payload ?? {};
  return {
    ...found.place,
    total: total ?? found.place.total,
    next: paging?.at ?? found.place.next,
    paging,
    source: declared?.items === found.place.items ? 'description' : 'response',
    foundAt: isoTime(found.foundAtMs),
  };
}

/** Whether the registration itself says where the rows are. */
const isChosen = ({ method, path }: Tool, extensions: readonly ChosenExtension[]): boolean =>
  extensions.some(
    ({ operation, extension }) =>
      extension === 'x-items' &&
      withoutNames(operation ?? '') === withoutNames(`${method} ${path}`),
  );

/** Descriptions write variables in several spellings: `{id}`, `:id`, `<int:id>`. */
const withoutNames = (operation: string): string =>
  operation.replace(/\{[^{}]*\}|<[^<>]*>|:\w+/g, '{}');
