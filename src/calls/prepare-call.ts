import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import { invalidArguments } from '../platform/kernel/invalid-arguments.ts';
import type { Tool } from '../tools/model.ts';
import {
  type CheckedArguments,
  type ReadArguments,
  withOthers,
} from '../tools/request/read-arguments.ts';
import type { ResolveCode } from '../tools/request/resolve-code.ts';
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
  /** Whether the gateway computed every argument with a computed default: the call is of the latest publication. */
  readonly isLatest: boolean;
  /** Whether the gateway may use an earlier publication if the latest holds no data. */
  readonly mayStepBack: boolean;
  /** The same call for the publication that is `steps` before the latest. */
  readonly earlier: (steps: number) => PreparedCall;
}

interface Circumstances {
  /** For the computed defaults, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly resolveCode: ResolveCode;
  /** Checks arguments against the tool's schema. */
  readonly readArguments: ReadArguments;
}

/**
 * Checks a caller's arguments, and completes them with schema defaults, argument alternatives and computed defaults. Fails
 * with `invalid_arguments`, or with the reason for which a name could not be looked up. Does not change what was given.
 */
export function prepareCall(
  tool: Tool,
  { arguments: received, shows: otherwise = 'data' }: GivenCall,
  { nowMs, resolveCode, readArguments }: Circumstances,
): Awaitable<PreparedCall> {
  const view = tool.payload.items === null ? undefined : received['_view'];
  const rest = view === undefined ? received : withoutView(received);
  return whenReady(readArguments(rest, resolveCode), (checked) => {
    assertValid(tool, checked, view);
    return completeCall(tool, checked, { nowMs, shows: showsOf(view, otherwise) });
  });
}

/** `_view` is in no schema. */
function withoutView({ _view: _, ...others }: Arguments): Arguments {
  return others;
}

function completeCall(
  tool: Tool,
  { given, checked }: CheckedArguments,
  { nowMs, shows }: { readonly nowMs: number; readonly shows: Shows },
): PreparedCall {
  const ready = prepareTool(tool);
  const choice = tool.payload.items === null ? null : rowChoiceOf(given);
  withoutRowArguments(tool, checked);
  const args = tool.alternative ? tool.alternative.apply(checked) : checked;
  const computed =
    ready.computed.length === 0
      ? ready.computed
      : ready.computed.filter((argument) => isComputed(argument, given));
  const isLatest = ready.computed.length > 0 && computed.length === ready.computed.length;
  const at = (stepsBack: number): PreparedCall => ({
    tool,
    ready,
    arguments: complete(args, computed, nowMs, stepsBack),
    choice,
    shows,
    isLatest,
    mayStepBack: tool.stepBack > 0 && isLatest,
    earlier: at,
  });
  return at(0);
}

/** Throws `invalid_arguments`. */
function assertValid(tool: Tool, { checked, issues }: CheckedArguments, view: unknown): void {
  const all = withOthers(issues, rowArgumentIssues(tool, checked, view));
  if (all.length > 0) throw invalidArguments(tool.name, all);
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
