import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import { invalidArguments } from '../platform/kernel/error.ts';
import { memoizeEach } from '../platform/kernel/memo.ts';
import { type ComputedDefault, hasRows, type Tool } from '../tools/model.ts';
import {
  createArgumentReader,
  type ReadArguments,
  rulesOf,
  withOthers,
} from '../tools/request/read-arguments.ts';
import { createRequestEncoder } from '../tools/request/request-encoder.ts';
import type { ResolveCode } from '../tools/request/resolve-code.ts';
import {
  type Arguments,
  needsTable,
  type ResultForm,
  resultFormOf,
  rowArgumentIssues,
  rowChoiceOf,
  withoutRowArguments,
} from './choose-rows.ts';
import { lastRange, pagingOf, turnedRange, unreachablePage } from './paging.ts';
import { inNotation } from './view/aggregation.ts';
import type { RowChoice } from './view/view-rows.ts';

/** A call as it was given. */
interface GivenCall {
  readonly arguments: Arguments;
  readonly shows?: ResultForm;
}

/** What a call asks for, whatever the publication. */
interface Asked {
  readonly tool: Tool;
  readonly ready: PreparedTool;
  /** The rows and columns that the caller chose; null = all. */
  readonly choice: RowChoice | null;
  readonly shows: ResultForm;
  /** The caller's arguments as they are meant, with the row arguments. */
  readonly meant: Arguments;
  /** The caller's arguments, with schema defaults. */
  readonly checked: Arguments;
  /** The arguments that are computed. */
  readonly computed: readonly ComputedArgument[];
  readonly nowMs: number;
  /** Which page is wanted of a series whose rows begin with the oldest. */
  readonly order: RowOrder;
}

/**
 * Whether the caller chose rows itself, left it to the gateway, which then prefers the newest, or follows the pages from the
 * newest rows to the oldest.
 */
type RowOrder = 'chosen' | 'open' | 'newest_first';

/** A call whose arguments are valid and complete. */
export class PreparedCall {
  readonly tool: Tool;
  readonly ready: PreparedTool;
  /** As they are sent to the upstream. */
  readonly arguments: Arguments;
  readonly choice: RowChoice | null;
  readonly shows: ResultForm;
  readonly #asked: Asked;
  readonly #stepsBack: number;

  constructor(asked: Asked, stepsBack: number) {
    this.tool = asked.tool;
    this.ready = asked.ready;
    this.arguments = complete(asked, stepsBack);
    this.choice = asked.choice;
    this.shows = asked.shows;
    this.#asked = asked;
    this.#stepsBack = stepsBack;
  }

  /** Whether the gateway computed every argument with a computed default: the call is of the latest publication. */
  get isLatest(): boolean {
    const all = this.ready.computed.length;
    return all > 0 && this.#asked.computed.length === all;
  }

  /** Whether the arguments depend on the time of the call alone. */
  get followsTime(): boolean {
    return this.#stepsBack === 0 && this.#asked.computed.length > 0;
  }

  /** The time that the computed arguments are of, in milliseconds since the epoch. */
  get askedMs(): number {
    return this.#asked.nowMs;
  }

  /** The arguments without those that are computed. */
  get ownArguments(): Arguments {
    return this.#asked.checked;
  }

  /** The caller's arguments as they are meant: only here are those that choose rows. */
  get meant(): Arguments {
    return this.#asked.meant;
  }

  /** Whether the gateway may use an earlier publication if the latest holds no data. */
  get mayStepBack(): boolean {
    return this.tool.stepBack > 0 && this.isLatest;
  }

  /** Whether the gateway may choose the page with the newest rows. */
  get mayTurn(): boolean {
    return this.#asked.order === 'open';
  }

  /** Whether the pages that follow have older rows. */
  get isNewestFirst(): boolean {
    return this.#asked.order === 'newest_first';
  }

  /** The same call for the last page of rows; undefined if the first has all. */
  lastPage(total: number): PreparedCall | undefined {
    const { seriesPaging } = this.ready;
    const range = seriesPaging && lastRange(seriesPaging, this.arguments, total);
    if (!range) return undefined;
    const checked = { ...this.#asked.checked, ...range };
    return new PreparedCall({ ...this.#asked, checked, order: 'newest_first' }, this.#stepsBack);
  }

  /** The same call, made at another time. */
  at(nowMs: number): PreparedCall {
    return new PreparedCall({ ...this.#asked, nowMs }, 0);
  }

  /** The same call for the publication that is `steps` before the latest. */
  earlier(steps: number): PreparedCall {
    return new PreparedCall(this.#asked, steps);
  }
}

interface Circumstances {
  /** For the computed defaults, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly resolveCode: ResolveCode;
  /** Checks arguments against the tool's schema. */
  readonly readArguments: ReadArguments;
  /** Columns that the rows get besides their own. */
  readonly varied?: readonly string[] | undefined;
}

/**
 * Checks a caller's arguments, and completes them with schema defaults, argument alternatives and computed defaults. Fails
 * with `invalid_arguments`, or with the reason for which a name could not be looked up. Does not change what was given.
 */
export function prepareCall(
  tool: Tool,
  { arguments: received, shows: defaultForm = 'data' }: GivenCall,
  { nowMs, resolveCode, readArguments, varied }: Circumstances,
): Awaitable<PreparedCall> {
  const mayHaveRows = hasRows(tool.payload);
  const given = mayHaveRows ? received['_view'] : undefined;
  const view = given ?? undefined;
  const noted = mayHaveRows ? inNotation(received) : received;
  const rest = given === undefined ? noted : withoutView(noted);
  return whenReady(readArguments(rest, resolveCode), ({ meant, checked, issues }) => {
    const all = withOthers(issues, rowArgumentIssues(tool, checked, view, varied));
    if (all.length > 0) throw invalidArguments(tool.name, all);
    const ready = prepareTool(tool);
    const unreachable = unreachablePage(ready.paging, checked);
    if (unreachable) throw invalidArguments(tool.name, [unreachable]);
    const choice = mayHaveRows ? rowChoiceOf(tool, meant, varied) : null;
    withoutRowArguments(tool, checked);
    const { rows, order } = orderOf(ready, meant, checked);
    const asked: Asked = {
      tool,
      ready,
      choice,
      shows: needsTable(choice, tool) ? 'table' : resultFormOf(view, defaultForm),
      meant,
      checked: tool.alternative ? tool.alternative.apply(rows, tool.alternative.isRequired) : rows,
      computed:
        ready.computed.length === 0
          ? ready.computed
          : ready.computed.filter((argument) => isComputed(argument, meant)),
      nowMs,
      order,
    };
    return new PreparedCall(asked, 0);
  });
}

/** The arguments with the rows that are wanted, from the first to the last, and their order. */
function orderOf(
  { seriesPaging }: PreparedTool,
  meant: Arguments,
  checked: Arguments,
): { readonly rows: Arguments; readonly order: RowOrder } {
  if (seriesPaging === null) return { rows: checked, order: 'chosen' };
  const turned = turnedRange(seriesPaging, checked);
  if (turned) return { rows: turned, order: 'newest_first' };
  const isOpen = [seriesPaging.start, seriesPaging.end].every((name) => isLeftOut(meant[name]));
  return { rows: checked, order: isOpen ? 'open' : 'chosen' };
}

/** `_view` is in no schema. */
function withoutView({ _view: _, ...others }: Arguments): Arguments {
  return others;
}

/** Computes the defaults from the caller's arguments, never from one another. */
function complete({ checked, computed, nowMs }: Asked, stepsBack: number): Arguments {
  if (computed.length === 0) return checked;
  const circumstances = { nowMs, args: { ...checked }, stepsBack };
  const completed = { ...checked };
  for (const { property, compute } of computed) {
    completed[property] = compute(circumstances);
  }
  return completed;
}

const isComputed = ({ property, unless }: ComputedArgument, meant: Arguments): boolean =>
  isLeftOut(meant[property]) && unless.every((name) => isLeftOut(meant[name]));

const isLeftOut = (value: unknown): boolean => value === undefined || value === null;

/** An argument with an `x-default`. */
interface ComputedArgument extends ComputedDefault {
  readonly property: string;
}

/** The check of a tool's arguments on the event loop, for schemas that no stranger wrote. */
export const argumentReaderOf = memoizeEach(
  (tool: Tool): ReadArguments => createArgumentReader(rulesOf(tool)),
);

type PreparedTool = ReturnType<typeof prepareTool>;

/** What is created with the first call of a tool, to keep the others cheap. */
export const prepareTool = memoizeEach((tool: Tool) => {
  const { paging: following } = tool.payload;
  const paging = following === undefined ? pagingOf(tool) : null;
  return {
    encode: createRequestEncoder(tool),
    /** Whether the request may be repeated. */
    idempotent: tool.method === 'GET' || tool.method === 'HEAD' || tool.annotations.readOnlyHint,
    /** Arguments that the gateway computes if the caller omits them. */
    computed: tool.parameters.flatMap(({ source }): ComputedArgument[] =>
      source.kind === 'argument' && source.computedDefault
        ? [{ property: source.property, ...source.computedDefault }]
        : [],
    ),
    /** How the rows of a preset are divided into pages; null if they are not. */
    paging,
    /** How the pages of a registered API follow one another; null if it has one. */
    following: following ?? null,
    /** `paging` if the rows start with the oldest (`x-oldest-first`), else null. */
    seriesPaging: tool.payload.seriesColumns && paging?.kind === 'range' ? paging : null,
  };
});
