import type { ComputedDefault, Tool } from '../tools/model.ts';
import {
  createArgumentReader,
  type ReadArguments,
  rulesOf,
} from '../tools/request/read-arguments.ts';
import { createRequestEncoder } from '../tools/request/request-encoder.ts';
import { type Paging, pagingOf } from './paging.ts';

/** An argument with an `x-default`. */
export interface ComputedArgument extends ComputedDefault {
  readonly property: string;
}

/** What is created once per tool, to keep calls cheap. */
export interface PreparedTool {
  readonly encode: ReturnType<typeof createRequestEncoder>;
  /** Whether the request may be repeated. */
  readonly idempotent: boolean;
  /** Arguments that the gateway computes if the caller omits them. */
  readonly computed: readonly ComputedArgument[];
  /** How its rows are divided into pages; null if they are not. */
  readonly paging: Paging | null;
}

const prepared = new WeakMap<Tool, PreparedTool>();
const readers = new WeakMap<Tool, ReadArguments>();

/** The check of a tool's arguments on the event loop, for schemas that no stranger wrote. Created once per tool. */
export function argumentReaderOf(tool: Tool): ReadArguments {
  const existing = readers.get(tool);
  if (existing) return existing;
  const fresh = createArgumentReader(rulesOf(tool));
  readers.set(tool, fresh);
  return fresh;
}

/** Prepares a tool once; the catalog is prepared at startup. */
export function prepareTool(tool: Tool): PreparedTool {
  const existing = prepared.get(tool);
  if (existing) return existing;
  const fresh: PreparedTool = {
    encode: createRequestEncoder(tool),
    idempotent: tool.method === 'GET' || tool.method === 'HEAD' || tool.annotations.readOnlyHint,
    computed: tool.parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.computedDefault
        ? [{ property: source.property, ...source.computedDefault }]
        : [],
    ),
    paging: pagingOf(tool),
  };
  prepared.set(tool, fresh);
  return fresh;
}
