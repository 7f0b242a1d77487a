import { createHash } from 'node:crypto';
import { overBudget } from '../platform/kernel/byte-budget.ts';
import { cacheKey } from '../upstreams/cache/cache-key.ts';
import type { CallTool } from './call-tool.ts';
import { mayKeepRows } from './choose-rows.ts';
import { withFoundRows } from './project-rows.ts';
import { FILE_FORMATS } from './results/encode-file.ts';
import type { ResultFile, ResultStore } from './results/result-store.ts';
import type { CallContext, CallOutcome, ResultLink, RowCount } from './tool-call.ts';
import type { ShownRows } from './view/table.ts';
import { ALL_COLUMNS, viewRows } from './view/view-rows.ts';

export interface LinkRowsDeps {
  readonly results: Pick<ResultStore, 'open' | 'kept' | 'sign'>;
  /** The address of the gateway, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps all rows of an answer as a file, and adds its addresses to the outcome. Never rejects: an answer whose rows cannot be
 * kept says so. An answer without rows, or with personal data, stays as it is.
 */
export type LinkRows = (outcome: CallOutcome, context: CallContext) => Promise<CallOutcome>;

export function createLinkRows({ results, baseUrl, onError }: LinkRowsDeps): LinkRows {
  const takeTurns = createTurns();

  async function keep(outcome: CallOutcome, context: CallContext): Promise<ResultFile> {
    const { tenantId } = context.caller;
    const question = questionOf(outcome);
    const kept = await results.kept(tenantId, question);
    if (kept) return kept;
    const json = outcome.answered?.result.response.json;
    if (json && !context.memory().hold(json)) throw overBudget();
    // The same answer may have been kept meanwhile.
    return takeTurns(
      tenantId,
      async () =>
        (await results.kept(tenantId, question)) ?? store(outcome, { tenantId, question }),
    );
  }

  async function store(
    outcome: CallOutcome,
    owner: { readonly tenantId: string; readonly question: string },
  ): Promise<ResultFile> {
    const table = allRows(outcome);
    if (!table) throw new Error('The response has no rows.');
    const { name: tool } = outcome.entry.tool;
    const writer = results.open({
      ...owner,
      tool,
      name: fileNameOf(tool, outcome.provenance.fetchedAt),
    });
    try {
      await writer.append(table.rows);
      return await writer.finish(table.columns);
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async function linkTo(file: ResultFile): Promise<ResultLink> {
    const query = await results.sign(file);
    const addresses = FILE_FORMATS.map((format) => [
      format,
      `${baseUrl()}/results/${file.id}.${format}?${query}`,
    ]);
    const expiresAt = new Date(Math.floor(file.expiresAtMs / 1000) * 1000).toISOString();
    return { ...Object.fromEntries(addresses), expiresAt };
  }

  return async (outcome, context) => {
    const { rows } = outcome;
    if (!rows || !mayLink(outcome)) return outcome;
    try {
      const link = await linkTo(outcome.file ?? (await keep(outcome, context)));
      return { ...outcome, rows: { ...rows, link } };
    } catch (error) {
      onError(error);
      return { ...outcome, rows: withoutFile(rows) };
    }
  };
}

/** Adds the file to the answers of callers who want it. Other calls cost nothing more. */
export const withLinks =
  (callTool: CallTool, linkRows: LinkRows): CallTool =>
  (call, context) => {
    const called = callTool(call, context);
    const { _link: link, _over: over } = call.arguments;
    if (link === undefined && over === undefined) return called;
    return called.then((outcome) => (wantsFile(outcome) ? linkRows(outcome, context) : outcome));
  };

/** Whether a file was asked for, or has rows that the answer lacks: without `_limit`, a range may have more than fit. */
function wantsFile({ answered, file, range, rows }: CallOutcome): boolean {
  const { _link: link, _limit: limit } = answered?.prepared.meant ?? {};
  const isShortened = range !== undefined && limit === undefined && (rows?.omitted ?? 0) > 0;
  return file !== undefined || link === true || isShortened;
}

const mayLink = ({ rows, kind, entry }: CallOutcome): boolean =>
  rows !== undefined && kind === 'ok' && entry.source !== 'gateway' && mayKeepRows(entry.tool);

const NO_FILE =
  'The gateway could not keep all rows as a file; ask for fewer rows, or call again in a moment.';

function withoutFile(rows: RowCount): RowCount {
  const { hint = '' } = rows;
  return hint.endsWith(NO_FILE) ? rows : { ...rows, hint: `${hint} ${NO_FILE}`.trim() };
}

/** All rows that the call chose, whatever its limit; with all columns unless it names some. */
function allRows({ answered, gathered }: CallOutcome) {
  if (gathered || !answered) return gathered ?? null;
  const { tool, choice } = answered.prepared;
  const { response } = answered.result;
  return viewRows(response.json, withFoundRows(tool, response), {
    ...(choice ?? { where: new Map() }),
    fields: choice?.fields ?? [ALL_COLUMNS],
    limit: null,
  });
}

/** What the rows of an outcome answer: the same text means the same rows. */
function questionOf(outcome: CallOutcome): string {
  const { entry, response, provenance, answered, gathered, range } = outcome;
  const given = Object.entries(answered?.prepared.meant ?? {});
  const choice = Object.fromEntries(given.filter(([name]) => isChoice(name)));
  const { asked } = provenance;
  // Of the units of a range, some may have been fetched again: the time of the oldest does not tell.
  const rows = gathered && digestOf(gathered.rows);
  const answer = { asked, choice, range, at: response.fetchedAtMs, rows };
  return cacheKey(entry.tool.version, answer, entry.id);
}

function digestOf(rows: ShownRows['rows']): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(JSON.stringify(row));
  return hash.digest('base64url');
}

/** Arguments that begin like this choose rows, but these choose what is shown of them. */
const isChoice = (name: string): boolean =>
  name.startsWith('_') && !['_limit', '_view', '_link'].includes(name);

/** Such as `airkorea_realtime-20261129T0500Z`: when the rows were fetched, to the minute. */
export const fileNameOf = (tool: string, fetchedAt: string): string =>
  `${tool}-${fetchedAt.slice(0, 16).replaceAll(/[-:]/g, '')}Z`;

/** Answers of one tenant that wait to be kept. */
const MAX_WAITING = 16;

/** Does the work of each tenant one after another: the threads that compress, and the memory of tables, are for all. */
function createTurns() {
  const lanes = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return async <T>(tenantId: string, work: () => Promise<T>): Promise<T> => {
    const lane = lanes.get(tenantId) ?? { last: Promise.resolve(), waiting: 0 };
    if (lane.waiting >= MAX_WAITING) throw overBudget();
    lanes.set(tenantId, lane);
    lane.waiting++;
    const done = lane.last.then(work);
    lane.last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      if (--lane.waiting === 0) lanes.delete(tenantId);
    }
  };
}
