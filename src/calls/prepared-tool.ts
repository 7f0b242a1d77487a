import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { memoizeEach } from '../platform/kernel/memoize-each.ts';
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

/** What is created once per tool, to keep calls cheap; the catalog is prepared at startup. */
export const prepareTool = memoizeEach((tool: Tool) => ({
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
  paging: pagingOf(tool),
}));

/**
 * Creates every tool's validator and encoder. Each takes milliseconds, so one is created per turn of the event loop:
 * neither startup nor a call waits for all of them.
 */
export async function prepareTools(
  tools: readonly Tool[],
  logger: Pick<Logger, 'error'>,
): Promise<void> {
  for (const tool of tools) {
    await nextTurn();
    try {
      argumentReaderOf(tool);
      prepareTool(tool);
    } catch (err) {
      logger.error({ tool: tool.name, err }, 'the tool cannot be prepared');
    }
  }
}
