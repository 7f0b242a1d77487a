import type { MemoryHold } from '../../platform/kernel/byte-budget.ts';
import { type GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { Tool } from '../../tools/model.ts';
import type { UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';
import type { CallTool } from '../call-tool.ts';
import type { Arguments } from '../choose-rows.ts';
import { refusalText } from '../model/headline.ts';
import { withFoundRows } from '../project-rows.ts';
import { type CallContext, CallFailure, type CallOutcome, type ToolCall } from '../tool-call.ts';
import { HeldPages } from './held-pages.ts';
import { DigestSet, digestsOf } from './row-digests.ts';

/** How one attempt to get a unit ended. */
export type UnitEnd =
  | { readonly kind: 'whole'; readonly pages: HeldPages; readonly facts: UnitFacts }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Whether the same question may have another answer. */
      readonly mayRetry: boolean;
      /** The failure of its call: an error, or a response that is one. */
      readonly failure?: GatewayError | CallOutcome;
    }
  /** The whole call ended first. */
  | { readonly kind: 'stopped' };

/** What is known of the answers that make up a unit. */
export interface UnitFacts {
  readonly fetchedAtMs: number;
  readonly asOf: string | null;
  readonly isSample: boolean;
  /** Whether every page came from the cache. */
  readonly isHit: boolean;
}

export interface AskDeps {
  readonly tool: Tool;
  readonly callTool: CallTool;
  readonly context: CallContext;
  /** What all requests of the outer call have in common. */
  readonly common: Pick<ToolCall, 'name' | 'clientId' | 'traceparent' | 'partOf' | 'cancellation'>;
  readonly openMemory: () => MemoryHold;
  /** Counts a request, and waits until there is room for it; false once the whole call has ended. */
  readonly admit: () => Promise<boolean>;
}

/** Gets a unit: once, and once more from its start if it did not come whole. */
export async function askUnit(deps: AskDeps, args: Arguments): Promise<UnitEnd> {
  const first = await attempt(deps, args, false);
  // What is cached of the first attempt does not fit together.
  return first.kind === 'failed' && first.mayRetry ? attempt(deps, args, true) : first;
}

async function attempt(deps: AskDeps, args: Arguments, refreshes: boolean): Promise<UnitEnd> {
  const pages = new HeldPages();
  try {
    const end = await new UnitAttempt(deps, pages, refreshes).run(args);
    if (end.kind !== 'whole') pages.close();
    return end;
  } catch (error) {
    pages.close();
    return endOfError(error);
  }
}

/** Reasons of a unit are short: ten of them stand in a result. */
const MAX_REASON_LENGTH = 300;

const failed = (
  reason: string,
  more: { mayRetry?: boolean; failure?: GatewayError | CallOutcome } = {},
): UnitEnd => ({
  kind: 'failed',
  reason: reason.slice(0, MAX_REASON_LENGTH),
  mayRetry: more.mayRetry ?? true,
  ...(more.failure && { failure: more.failure }),
});

function endOfError(thrown: unknown): UnitEnd {
  const error = toGatewayError(thrown instanceof CallFailure ? thrown.error : thrown);
  if (error.code === 'cancelled') return { kind: 'stopped' };
  const mayRetry =
    (error.details.retryable ?? error.row.retryable) && error.code !== 'quota_exhausted';
  return failed(error.message, { mayRetry, failure: error });
}

/** One attempt: the pages of a unit, one after another, for as long as they fit together. */
class UnitAttempt {
  readonly #deps: AskDeps;
  readonly #pages: HeldPages;
  readonly #refreshes: boolean;
  readonly #seen = new DigestSet();
  /** The arguments of the pages so far. */
  readonly #asked = new Set<string>();
  /** Whether the gateway may leave rows out that the upstream counts. */
  #isFiltered = false;
  #rows = 0;
  #total: number | null = null;
  #facts: UnitFacts | undefined;

  constructor(deps: AskDeps, pages: HeldPages, refreshes: boolean) {
    this.#deps = deps;
    this.#pages = pages;
    this.#refreshes = refreshes;
  }

  async run(first: Arguments): Promise<UnitEnd> {
    let args = first;
    const filters = this.#deps.tool.payload.filters ?? [];
    this.#isFiltered = filters.some(({ argument }) => first[argument] !== undefined);
    for (;;) {
      if (!(await this.#deps.admit())) return { kind: 'stopped' };
      const { outcome, hold } = await this.#ask(args);
      const trouble = this.#check(outcome);
      if (trouble) {
        hold.close();
        return trouble;
      }
      this.#learn(outcome);
      await this.#pages.add(outcome.response, hold);
      const next = outcome.rows?.next;
      if (!next) return this.#end(outcome);
      // Of the first page: the second could get another value of a default that is computed.
      args = following(args === first ? settled(outcome, first) : args, next);
    }
  }

  async #ask(args: Arguments): Promise<{ outcome: CallOutcome; hold: MemoryHold }> {
    const { callTool, context, common, openMemory } = this.#deps;
    const hold = openMemory();
    const call = { ...common, arguments: { ...args }, refreshes: this.#refreshes };
    try {
      return { outcome: await callTool(call, { ...context, memory: () => hold }), hold };
    } catch (error) {
      hold.close();
      throw error;
    }
  }

  /** What keeps a page from being part of a whole unit. */
  #check(outcome: CallOutcome): UnitEnd | undefined {
    const { response, rows, isError, cacheStatus } = outcome;
    if (isError) return failed(refusalText(outcome), { failure: outcome });
    if (cacheStatus === 'STALE')
      return failed('The source is failing, and the cache has only an older answer.');
    if (!rows) return failed('No rows were found in the response.', { mayRetry: false });
    const total = response.total ?? null;
    if (this.#facts && total !== this.#total)
      return failed(
        `The total changed from ${inWords(this.#total)} to ${inWords(total)} between two pages.`,
      );
    const tellsTotal = this.#deps.tool.payload.total !== null;
    if (tellsTotal && total === null && response.rows === 0 && response.cause !== 'no_data')
      return failed('The response has neither rows nor a total.');
    if (response.rows === 0 && (total ?? 0) > this.#rows && !this.#isFiltered)
      return failed(`Only ${this.#rows} of ${total} rows came.`);
    const key = JSON.stringify(rows.next);
    if (rows.next && this.#asked.has(key))
      return failed('A page names itself, or one before it, as the next.');
    this.#asked.add(key);
    return this.#repeats(response) ? failed('A page repeats rows of an earlier page.') : undefined;
  }

  #repeats(response: UpstreamResponse): boolean {
    const { items } = withFoundRows(this.#deps.tool, response).payload;
    const digests = items === null ? [] : digestsOf(response.json, items);
    if (digests.some((digest) => this.#seen.has(digest))) return true;
    // A page may have two rows that are alike: the upstream says so in one answer.
    for (const digest of digests) this.#seen.add(digest);
    return false;
  }

  #learn({ response, provenance, cacheStatus }: CallOutcome): void {
    this.#rows += response.rows ?? 0;
    this.#total = response.total ?? null;
    const known = this.#facts;
    const isHit = cacheStatus === 'HIT';
    this.#facts = {
      fetchedAtMs: Math.min(known?.fetchedAtMs ?? Number.POSITIVE_INFINITY, response.fetchedAtMs),
      asOf: known && known.asOf !== provenance.asOf ? null : provenance.asOf,
      isSample: provenance.isSample,
      isHit: isHit && (known?.isHit ?? true),
    };
  }

  /** After the last page. */
  #end({ rows }: CallOutcome): UnitEnd {
    const total = this.#total;
    if (total !== null && total !== this.#rows && !this.#isFiltered)
      return failed(`Only ${this.#rows} of ${total} rows came.`);
    if (total === null && rows?.isOpen)
      return failed('Nothing says that these are all rows: name x-paging or x-total of the API.', {
        mayRetry: false,
      });
    const facts = this.#facts ?? { fetchedAtMs: 0, asOf: null, isSample: false, isHit: false };
    return { kind: 'whole', pages: this.#pages, facts };
  }
}

const inWords = (total: number | null): string => (total === null ? 'none' : String(total));

/** The arguments of the page that follows: those that are null are left out. */
function following(args: Arguments, next: Arguments): Arguments {
  const all = Object.entries({ ...args, ...next });
  return Object.fromEntries(all.filter(([name, value]) => value !== null || !(name in next)));
}

/** The arguments of a first page, with those that were computed. */
const settled = ({ provenance, entry }: CallOutcome, given: Arguments): Arguments =>
  entry.tool.parameters.some(({ source }) => source.kind === 'argument' && source.computedDefault)
    ? provenance.asked
    : given;
