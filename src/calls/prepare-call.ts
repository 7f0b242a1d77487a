import { invalidArguments } from '../platform/kernel/invalid-arguments.ts';
import { applyGrid } from '../public-data/apply-grid.ts';
import { computedDefault } from '../public-data/computed-default.ts';
import type { Tool } from '../tools/model.ts';
import { type ComputedArgument, type PreparedTool, prepareTool } from './prepared-tool.ts';
import {
  type Arguments,
  type Projection,
  projectionOf,
  unknownColumns,
  withoutProjection,
} from './project-rows.ts';

/** A call whose arguments are checked and complete. */
export interface PreparedCall {
  readonly tool: Tool;
  readonly ready: PreparedTool;
  /** As the upstream gets them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The part of the rows that the caller wants; null = all. */
  readonly projection: Projection | null;
  /** Whether the gateway may choose an earlier publication where the latest holds no data. */
  readonly mayStepBack: boolean;
  /** The same call for the publication so many steps before the latest. */
  readonly earlier: (steps: number) => PreparedCall;
}

/**
 * Checks a caller's arguments and completes them: schema defaults, grid point for a place, defaults worked out for the
 * moment `nowMs`. Throws `invalid_arguments`. `given` is left as it was.
 */
export function prepareCall(tool: Tool, given: Arguments, nowMs: number): PreparedCall {
  const ready = prepareTool(tool);
  const checked = { ...given };
  const faults = [...ready.validate(checked), ...unknownColumns(tool, checked)];
  if (faults.length > 0) throw invalidArguments(tool.name, faults);
  const projection = projectionOf(tool, given);
  withoutProjection(tool, checked);
  const args = tool.grid ? applyGrid(checked) : checked;
  const computed =
    ready.computed.length === 0
      ? ready.computed
      : ready.computed.filter((argument) => isComputed(argument, given));
  const mayStepBack = tool.stepBack > 0 && computed.length === ready.computed.length;
  const at = (stepsBack: number): PreparedCall => ({
    tool,
    ready,
    arguments: complete(args, computed, nowMs, stepsBack),
    projection,
    mayStepBack,
    earlier: at,
  });
  return at(0);
}

/** Defaults are worked out from what was given, never from one another. */
function complete(
  args: Arguments,
  computed: readonly ComputedArgument[],
  nowMs: number,
  stepsBack: number,
): Arguments {
  if (computed.length === 0) return args;
  const circumstances = { nowMs, args: { ...args }, stepsBack };
  const completed = { ...args };
  for (const { property, expression } of computed) {
    completed[property] = computedDefault(expression, circumstances);
  }
  return completed;
}

const isComputed = ({ property, unless }: ComputedArgument, given: Arguments): boolean =>
  isLeftOut(given[property]) && unless.every((name) => isLeftOut(given[name]));

const isLeftOut = (value: unknown): boolean => value === undefined || value === null;
