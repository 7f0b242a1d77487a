import { invalidArguments } from '../platform/kernel/invalid-arguments.ts';
import { applyGrid } from '../public-data/apply-grid.ts';
import { computedDefault } from '../public-data/computed-default.ts';
import type { Tool } from '../tools/model.ts';
import type { ComputedArgument, PreparedTool } from './prepared-tool.ts';
import { unknownColumns } from './show-rows.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Checks a caller's arguments and returns them completed: schema defaults, grid point for a place, defaults
 * worked out for the moment `nowMs`, `stepsBack` publications before the latest. Throws `invalid_arguments`. `given` is left as it was.
 */
export function prepareArguments(
  tool: Tool,
  prepared: PreparedTool,
  given: Arguments,
  nowMs: number,
  stepsBack = 0,
): Record<string, unknown> {
  const checked = { ...given };
  const faults = [...prepared.validate(checked), ...unknownColumns(tool, checked)];
  if (faults.length > 0) throw invalidArguments(tool.name, faults);
  // They choose among the rows of the answer, which is the same without them.
  if (tool.payload.items !== null) {
    delete checked['_fields'];
    delete checked['_limit'];
  }
  const args = tool.grid ? applyGrid(checked) : checked;
  if (prepared.computed.length === 0) return args;
  // Defaults are worked out from what was given, never from one another.
  const circumstances = { nowMs, args: { ...args }, stepsBack };
  for (const argument of prepared.computed) {
    if (isWorkedOut(argument, given)) {
      args[argument.property] = computedDefault(argument.expression, circumstances);
    }
  }
  return args;
}

/** Does the gateway work out every `x-default` of a call, so that it may choose another publication? */
export const worksOutAll = ({ computed }: PreparedTool, given: Arguments): boolean =>
  computed.every((argument) => isWorkedOut(argument, given));

const isWorkedOut = ({ property, unless }: ComputedArgument, given: Arguments): boolean =>
  isLeftOut(given[property]) && unless.every((name) => isLeftOut(given[name]));

const isLeftOut = (value: unknown): boolean => value === undefined || value === null;
