import { GatewayError } from '../kernel/error.ts';
import type { Tool } from '../openapi/tool.ts';
import { applyGrid } from '../public-data/apply-grid.ts';
import { computedDefault } from '../public-data/computed-default.ts';
import type { PreparedTool } from './prepared-tool.ts';

/**
 * Checks a caller's arguments and returns them completed: schema defaults, grid point for a place, defaults
 * worked out for the moment `nowMs`. Throws `invalid_arguments` with every fault. `given` is left as it was.
 */
export function prepareArguments(
  tool: Tool,
  prepared: PreparedTool,
  given: Record<string, unknown>,
  nowMs: number,
): Record<string, unknown> {
  const checked = { ...given };
  const faults = prepared.validate(checked);
  if (faults.length > 0) {
    const sentences = faults.map(({ path, message }) => (path ? `${path} ${message}` : message));
    throw new GatewayError('invalid_arguments', `${tool.name}: ${sentences.join(' ')}`, {
      details: { errors: faults },
    });
  }
  const args = tool.grid ? applyGrid(checked) : checked;
  for (const { property, expression } of prepared.computed) {
    args[property] ??= computedDefault(expression, nowMs);
  }
  return args;
}
