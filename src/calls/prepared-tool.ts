import type { ComputedDefault, Tool } from '../tools/model.ts';
import { createArgumentValidator } from '../tools/request/argument-validator.ts';
import { createRequestEncoder } from '../tools/request/request-encoder.ts';

/** An argument with an `x-default`. */
export interface ComputedArgument extends ComputedDefault {
  readonly property: string;
}

/** What is made once per tool so that a call costs only its own work. */
export interface PreparedTool {
  readonly validate: ReturnType<typeof createArgumentValidator>;
  readonly encode: ReturnType<typeof createRequestEncoder>;
  /** May the request be sent twice? */
  readonly idempotent: boolean;
  /** What the gateway works out when the caller leaves it out. */
  readonly computed: readonly ComputedArgument[];
  /** The address before arguments, for records of calls that never got one. */
  readonly templateUrl: string;
}

const prepared = new WeakMap<Tool, PreparedTool>();

/** The prepared form of a tool; made at the first request for it (the catalog is warmed at start). */
export function prepareTool(tool: Tool): PreparedTool {
  const existing = prepared.get(tool);
  if (existing) return existing;
  const made: PreparedTool = {
    validate: createArgumentValidator(tool),
    encode: createRequestEncoder(tool),
    idempotent: tool.method === 'GET' || tool.method === 'HEAD' || tool.annotations.readOnlyHint,
    computed: tool.parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.computedDefault
        ? [{ property: source.property, ...source.computedDefault }]
        : [],
    ),
    templateUrl: `${tool.baseUrl}${tool.path}`,
  };
  prepared.set(tool, made);
  return made;
}
