import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../platform/kernel/error.ts';
import { invalidArguments } from '../platform/kernel/invalid-arguments.ts';
import type { Tool } from '../tools/model.ts';
import type { MeantArguments } from '../tools/request/lenient-arguments.ts';
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
}

/**
 * Checks a caller's arguments, reads those that do not fit as they are plainly meant, and completes them with schema
 * defaults, argument alternatives and computed defaults. Fails with `invalid_arguments`, or with the reason for which a name
 * could not be looked up. Does not change what was given.
 */
export function prepareCall(
  tool: Tool,
  { arguments: received, shows: otherwise = 'data' }: GivenCall,
  { nowMs, resolveCode }: Circumstances,
): Awaitable<PreparedCall> {
  const ready = prepareTool(tool);
  return whenReady(checkArguments(tool, ready, received, resolveCode), (valid) =>
    completeCall(tool, ready, valid, { nowMs, otherwise }),
  );
}

/** The arguments of a caller as they are meant, and the same with schema defaults. */
interface ValidArguments {
  readonly given: Arguments;
  readonly checked: Record<string, unknown>;
}

function completeCall(
  tool: Tool,
  ready: PreparedTool,
  { given, checked }: ValidArguments,
  { nowMs, otherwise }: { readonly nowMs: number; readonly otherwise: Shows },
): PreparedCall {
  const hasRows = tool.payload.items !== null;
  const choice = hasRows ? rowChoiceOf(given) : null;
  const shows = hasRows ? showsOf(given, otherwise) : otherwise;
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
function checkArguments(
  tool: Tool,
  ready: PreparedTool,
  received: Arguments,
  resolveCode: ResolveCode,
): Awaitable<ValidArguments> {
  const checked = { ...received };
  const issues = issuesOf(tool, ready, checked);
  if (issues.length === 0) return { given: received, checked };
  return whenReady(ready.readMeaning(received, resolveCode), (meant) =>
    checkMeaning(tool, ready, meant),
  );
}

/** Throws `invalid_arguments`. */
function checkMeaning(tool: Tool, ready: PreparedTool, meant: MeantArguments): ValidArguments {
  const changed = { ...meant.args };
  const left = issuesOf(tool, ready, changed);
  if (left.length === 0 && meant.issues.length === 0)
    return { given: meant.args, checked: changed };
  const known = new Set(meant.issues.map(({ path }) => path));
  throw invalidArguments(tool.name, [
    ...meant.issues,
    ...left.filter(({ path }) => !known.has(path)),
  ]);
}

/** Adds schema defaults to the arguments, and removes `_view`, which no schema has. */
function issuesOf(
  tool: Tool,
  ready: PreparedTool,
  args: Record<string, unknown>,
): readonly ArgumentIssue[] {
  const { _view: view } = args;
  if (view !== undefined && tool.payload.items !== null) delete args['_view'];
  return [...ready.validate(args), ...rowArgumentIssues(tool, args, view)];
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
