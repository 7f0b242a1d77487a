import { invalidArguments } from '../platform/kernel/invalid-arguments.ts';
import type { Tool } from '../tools/model.ts';
import {
  type Arguments,
  rowArgumentIssues,
  rowChoiceOf,
  type Shows,
  showsOf,
  withoutRowArguments,
} from './choose-rows.ts';
import { type ComputedArgument, type PreparedTool, prepareTool } from './prepared-tool.ts';
import type { RowChoice } from './view/view-rows.ts';

/** A call as it was given. */
interface GivenCall {
  readonly arguments: Arguments;
  readonly shows?: Shows;
}

/** A call whose arguments are valid and complete. */
export interface PreparedCall {
  readonly tool: Tool;
  readonly ready: PreparedTool;
  /** As they are sent to the upstream. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The rows and columns that the caller chose; null = all. */
  readonly choice: RowChoice | null;
  readonly shows: Shows;
  /** Whether the gateway may use an earlier publication if the latest holds no data. */
  readonly mayStepBack: boolean;
  /** The same call for the publication that is `steps` before the latest. */
  readonly earlier: (steps: number) => PreparedCall;
}

/**
 * Checks a caller's arguments and completes them with schema defaults, argument alternatives and the defaults computed
 * for the time `nowMs`. Throws `invalid_arguments`. Does not change `given`.
 */
export function prepareCall(
  tool: Tool,
  { arguments: given, shows: otherwise = 'data' }: GivenCall,
  nowMs: number,
): PreparedCall {
  const ready = prepareTool(tool);
  const hasRows = tool.payload.items !== null;
  const checked = { ...given };
  if (hasRows && '_view' in checked) delete checked['_view'];
  const issues = [...ready.validate(checked), ...rowArgumentIssues(tool, given)];
  if (issues.length > 0) throw invalidArguments(tool.name, issues);
  const choice = hasRows ? rowChoiceOf(given) : null;
  const shows = hasRows ? showsOf(given, otherwise) : otherwise;
  withoutRowArguments(tool, checked);
  const args = tool.alternative ? tool.alternative.apply(checked) : checked;
  const computed =
    ready.computed.length === 0
      ? ready.computed
      : ready.computed.filter((argument) => isComputed(argument, given));
  const mayStepBack = tool.stepBack > 0 && computed.length === ready.computed.length;
  const at = (stepsBack: number): PreparedCall => ({
    tool,
    ready,
    arguments: complete(args, computed, nowMs, stepsBack),
    choice,
    shows,
    mayStepBack,
    earlier: at,
  });
  return at(0);
}

/** Computes the defaults from the caller's arguments, never from one another. */
function complete(
  args: Arguments,
  computed: readonly ComputedArgument[],
  nowMs: number,
  stepsBack: number,
): Arguments {
  if (computed.length === 0) return args;
  const circumstances = { nowMs, args: { ...args }, stepsBack };
  const completed = { ...args };
  for (const { property, compute } of computed) {
    completed[property] = compute(circumstances);
  }
  return completed;
}

const isComputed = ({ property, unless }: ComputedArgument, given: Arguments): boolean =>
  isLeftOut(given[property]) && unless.every((name) => isLeftOut(given[name]));

const isLeftOut = (value: unknown): boolean => value === undefined || value === null;
