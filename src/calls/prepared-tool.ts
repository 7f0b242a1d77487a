import type { ComputedDefault, Tool } from '../tools/model.ts';
import { createArgumentValidator } from '../tools/request/argument-validator.ts';
import { createMeaningReader, type ReadMeaning } from '../tools/request/lenient-arguments.ts';
import { createRequestEncoder } from '../tools/request/request-encoder.ts';
import { type Paging, pagingOf } from './paging.ts';

/** An argument with an `x-default`. */
export interface ComputedArgument extends ComputedDefault {
  readonly property: string;
}

/** What is created once per tool, to keep calls cheap. */
export interface PreparedTool {
  readonly validate: ReturnType<typeof createArgumentValidator>;
  /** Reads arguments that the check refuses as they are plainly meant. */
  readonly readMeaning: ReadMeaning;
  readonly encode: ReturnType<typeof createRequestEncoder>;
  /** Whether the request may be repeated. */
  readonly idempotent: boolean;
  /** Arguments that the gateway computes if the caller omits them. */
  readonly computed: readonly ComputedArgument[];
  /** How its rows are divided into pages; null if they are not. */
  readonly paging: Paging | null;
  /** The address without arguments, for records of calls that failed before they had one. */
  readonly templateUrl: string;
}

const prepared = new WeakMap<Tool, PreparedTool>();

/** Prepares a tool once; the catalog is prepared at startup. */
export function prepareTool(tool: Tool): PreparedTool {
  const existing = prepared.get(tool);
  if (existing) return existing;
  const fresh: PreparedTool = {
    validate: createArgumentValidator(tool),
    readMeaning: createMeaningReader(tool),
    encode: createRequestEncoder(tool),
    idempotent: tool.method === 'GET' || tool.method === 'HEAD' || tool.annotations.readOnlyHint,
    computed: tool.parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.computedDefault
        ? [{ property: source.property, ...source.computedDefault }]
        : [],
    ),
    paging: pagingOf(tool),
    templateUrl: `${tool.baseUrl}${tool.path}`,
  };
  prepared.set(tool, fresh);
  return fresh;
}
