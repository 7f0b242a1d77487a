import { memoizeEach } from '../platform/kernel/memo.ts';
import type { ComputedDefault, Tool } from '../tools/model.ts';
import {
  createArgumentReader,
  type ReadArguments,
  rulesOf,
} from '../tools/request/read-arguments.ts';
import { createRequestEncoder } from '../tools/request/request-encoder.ts';
import { pagingOf } from './paging.ts';

/** An argument with an `x-default`. */
export interface ComputedArgument extends ComputedDefault {
  readonly property: string;
}

/** The check of a tool's arguments on the event loop, for schemas that no stranger wrote. */
export const argumentReaderOf = memoizeEach(
  (tool: Tool): ReadArguments => createArgumentReader(rulesOf(tool)),
);

export type PreparedTool = ReturnType<typeof prepareTool>;

/** What is created with the first call of a tool, to keep the others cheap. */
export const prepareTool = memoizeEach((tool: Tool) => {
  const paging = pagingOf(tool);
  return {
    encode: createRequestEncoder(tool),
    /** Whether the request may be repeated. */
    idempotent: tool.method === 'GET' || tool.method === 'HEAD' || tool.annotations.readOnlyHint,
    /** Arguments that the gateway computes if the caller omits them. */
    computed: tool.parameters.flatMap(({ source }): ComputedArgument[] =>
      source.kind === 'argument' && source.computedDefault
        ? [{ property: source.property, ...source.computedDefault }]
        : [],
    ),
    /** How its rows are divided into pages; null if they are not. */
    paging,
    /** `paging`, but only if rows begin with the oldest (`x-oldest-first`); otherwise null. */
    seriesPaging: tool.payload.seriesColumns && paging?.kind === 'range' ? paging : null,
  };
});
