import { maskArguments } from '../../src/audit/masking/mask-arguments.ts';
import { createCallTool } from '../../src/calls/call-tool.ts';
import { argumentReaderOf } from '../../src/calls/prepare-call.ts';
import { createByteBudget } from '../../src/platform/kernel/byte-budget.ts';
import { PUBLIC_DATA_PAYLOADS } from '../../src/public-data/payload-domain.ts';
import type { CatalogEntry } from '../../src/tools/catalog-entry.ts';
import type { Tool } from '../../src/tools/model.ts';
import { resolveNothing } from '../../src/tools/request/resolve-code.ts';
import { createResponseCache } from '../../src/upstreams/cache/response-cache.ts';
import { createPayloadReader } from '../../src/upstreams/payload/read-payload.ts';
import { registerText } from '../support/compile-text.ts';
import type { ExpectedRows, RowCase } from './row-cases.ts';

/** What the gateway makes of a case. */
export interface PlayedCase {
  /** Pointer to the rows; null if the answer is the whole body. */
  readonly rows: string | null;
  readonly count: number | null;
  readonly total: number | null;
  readonly next: unknown;
}

const clock = { now: () => Date.now() };

/** Registers the description of a case, calls its tool, and returns what the caller learns of the rows. */
export async function playCase({ document, request, response }: RowCase): Promise<PlayedCase> {
  const { api } = await registerText(JSON.stringify(document));
  const [tool] = api.tools;
  if (!tool) throw new Error('The description has no tool.');
  const budget = createByteBudget(1e9);
  const { status, headers, contentType, body } = response;
  const bytes = Buffer.from(
    typeof body === 'string' && contentType !== 'application/json' ? body : JSON.stringify(body),
  );
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const sender = {
    send: async () => ({
      status,
      contentType,
      headers: Object.fromEntries(lower),
      body: bytes,
      upstreamMs: 1,
    }),
  };
  const connection = { cacheIdentity: 'own', secrets: () => undefined, sender };
  const entry = entryOf(tool, connection);
  const callTool = createCallTool({
    catalog: { find: () => entry, isDenied: () => false, list: () => [entry] },
    cache: createResponseCache({
      maxBytes: 1e6,
      staleSeconds: 0,
      clock,
      logger: { warn: () => undefined },
    }),
    ledger: {
      isWritable: () => true,
      assertWritable: () => undefined,
      append: async () => undefined,
      stats: () => {
        throw new Error('Not read.');
      },
    },
    clock,
    mask: maskArguments,
    normalise: createPayloadReader(PUBLIC_DATA_PAYLOADS),
    budget,
    connectionFor: () => connection,
    timeoutMs: 10_000,
    nextPublication: () => undefined,
    incompleteUntil: () => undefined,
    resolveCode: resolveNothing,
    argumentThread: {
      // Some cases have shorter ids and pages than their description wants.
      read: async (each, args, { resolveCode }) => ({
        ...(await argumentReaderOf(each)(args, resolveCode)),
        issues: [],
      }),
    },
    isSandbox: false,
    onNotFound: () => undefined,
    onFinished: () => undefined,
  });
  const memory = () => budget.open('ten');
  const caller = { tenantId: 'ten', tenantSlug: 'ten', apiKeyId: 'key', allowedTools: null };
  const context = {
    caller,
    requestId: 'req',
    dialect: 'plain',
    clientName: null,
    clientIp: '',
    memory,
  };
  const outcome = await callTool(
    { name: tool.name, arguments: argumentsFor(tool, request) },
    context,
  );
  const { found, rows, total = null } = outcome.response;
  if (!found) return { rows: null, count: null, total: null, next: null };
  return {
    rows: found.items,
    count: rows ?? null,
    total,
    next: wireNames(tool, outcome.rows?.next),
  };
}

function entryOf(tool: Tool, connection: NonNullable<CatalogEntry['connection']>): CatalogEntry {
  return {
    id: `@ten.api.${tool.name}`,
    tool,
    description: tool.description,
    server: { id: '@ten/api', name: 'API' },
    category: 'own',
    source: 'registered',
    createdAt: '2026-01-01T00:00:00Z',
    connection,
  };
}

const propertyOf = ({ parameters }: Tool, name: string): string => {
  const source = parameters.find((each) => each.name === name)?.source;
  return source?.kind === 'argument' ? source.property : name;
};

/** The arguments of a case, which have the names of its description. */
const argumentsFor = (tool: Tool, request: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(request).map(([name, value]) => [propertyOf(tool, name), value]),
  );

function wireNames(tool: Tool, next: object | null | undefined): unknown {
  if (!next) return null;
  const names = new Map(tool.parameters.map(({ name }) => [propertyOf(tool, name), name]));
  return Object.fromEntries(
    Object.entries(next).map(([name, value]) => [names.get(name) ?? name, value]),
  );
}

/** How an answer compares with what a careful reader finds. */
export type Verdict = 'right' | 'missed' | 'wrong';

/** The whole body in place of rows misses them; any other pointer, or another number of rows, is wrong. */
export function judgeRows(played: PlayedCase, expected: ExpectedRows): Verdict {
  const { rows, count, ambiguous, rowsAlternatives = [] } = expected;
  if (played.rows === null) return rows === null || ambiguous ? 'right' : 'missed';
  if (rowsAlternatives.includes(played.rows)) return 'right';
  return played.rows === rows && played.count === count ? 'right' : 'wrong';
}

export function judgeTotal(
  played: PlayedCase,
  { total, totalAlternatives = [] }: ExpectedRows,
): Verdict {
  if ([total, ...totalAlternatives].includes(played.total)) return 'right';
  return played.total === null ? 'missed' : 'wrong';
}

export function judgeNext(
  played: PlayedCase,
  { next, nextAlternatives = [] }: ExpectedRows,
): Verdict {
  const same = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);
  if ([next, ...nextAlternatives].some((each) => same(each, played.next))) return 'right';
  return played.next === null ? 'missed' : 'wrong';
}

/** Numbers and texts of the same value are the same argument. */
const textOf = (next: unknown): string =>
  JSON.stringify(
    next &&
      Object.entries(next)
        .map(([name, value]) => [name, value === null ? null : String(value)])
        .sort(),
  );
