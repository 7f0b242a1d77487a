import { createArgumentValidator } from '../openapi/argument-validator.ts';
import { createRequestEncoder } from '../openapi/request-encoder.ts';
import type { Tool } from '../openapi/tool.ts';

/** What is made once per tool so that a call costs only its own work. */
export interface PreparedTool {
  readonly validate: ReturnType<typeof createArgumentValidator>;
  readonly encode: ReturnType<typeof createRequestEncoder>;
  /** May the request be sent twice? */
  readonly idempotent: boolean;
  /** Arguments left out that the gateway works out: wire default by property name. */
  readonly computed: readonly { readonly property: string; readonly expression: string }[];
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
        ? [{ property: source.property, expression: source.computedDefault }]
        : [],
    ),
    templateUrl: `${tool.baseUrl}${tool.path}`,
  };
  prepared.set(tool, made);
  return made;
}
