import { type Static, Type } from 'typebox';
import { causeOfError } from '../../calls/judge-response.ts';
import { CallFailure, type CallOutcome } from '../../calls/tool-call.ts';
import { list, orNull, TEXT } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { parsePointer, valueAt } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { Proposals } from '../../registrations/proposals/proposals.ts';
import type { ProposalTest } from '../../registrations/request/registration-request.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { ChosenExtension } from '../../tools/proposal.ts';
import type { CallUnlisted } from './call-context.ts';

/** Rows that a test shows. */
const MAX_ROWS = 5;
/** Of a longer response, nothing is corrected: it is parsed on the event loop. */
const MAX_READ_BYTES = 256 * 1024;

const CHOSEN = Type.Object({
  operation: orNull(TEXT),
  extension: TEXT,
  value: Type.Unknown(),
});

/** What a test came to, as clients see it (docs/contract.md#proposals). */
export const TEST_VIEW = Type.Object(
  {
    outcome: Type.Enum(['ok', 'no_data', 'failed']),
    cause: orNull(Type.String({ description: 'Why there are no rows; null for `ok`.' })),
    code: orNull(Type.String({ description: 'Of the error, if the API has not responded.' })),
    message: orNull(Type.String({ description: 'What the API, or the gateway, says about it.' })),
    status: orNull(Type.Integer({ description: 'Of the response; null without one.' })),
    rows: list(Type.Object({}, { additionalProperties: true }), MAX_ROWS),
    total: orNull(Type.Integer()),
    corrections: list(CHOSEN),
    auditId: TEXT,
  },
  { $id: 'ProposalTest' },
);

export type TestView = Static<typeof TEST_VIEW>;

/**
 * Calls an operation of a proposal. Where the response has its rows, their number or its code elsewhere than proposed, the
 * proposal is corrected, and the operation called once more.
 */
export async function testProposal(
  proposals: Pick<Proposals, 'prepare' | 'prepareAgain' | 'correctionsOf' | 'confirm'>,
  tenant: Pick<Caller, 'tenantId' | 'tenantSlug'>,
  { id, ...test }: ProposalTest & { readonly id: string },
  call: CallUnlisted,
): Promise<TestView> {
  const prepared = await proposals.prepare(tenant, id, test);
  const run = ({ entry, extensions }: typeof prepared) =>
    call(entry, argumentsOf(entry, extensions, test.arguments));
  const first = await run(prepared);
  const response = mayBeCorrected(first) ? readable(first) : undefined;
  const corrections =
    response === undefined
      ? []
      : await unlessGone(proposals.correctionsOf(tenant, id, prepared.extensions, response), []);
  if (corrections.length > 0) {
    const corrected = prepared.extensions.map(
      (each) => corrections.find((other) => isSame(other, each)) ?? each,
    );
    const next = await proposals.prepareAgain(tenant, id, { ...test, extensions: corrected });
    const again = await run(next);
    if (isGood(again)) {
      await unlessGone(proposals.confirm(tenant, id, test.operation, corrected), undefined);
      return toView(again, corrections);
    }
  } else if (isGood(first)) {
    await unlessGone(proposals.confirm(tenant, id, test.operation, prepared.extensions), undefined);
  }
  return toView(first, []);
}

/** A proposal may be registered or expire during the call, which was made all the same. */
const unlessGone = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'not_found') return otherwise;
    throw error;
  });

const isSame = (a: ChosenExtension, b: ChosenExtension): boolean =>
  a.operation === b.operation && a.extension === b.extension;

const isGood = (result: CallOutcome | CallFailure): result is CallOutcome =>
  !(result instanceof CallFailure) && result.kind === 'ok' && result.rows?.returned !== 0;

/** Values of the proposal for a test; what a person types comes first. */
function argumentsOf(
  { tool }: CatalogEntry,
  extensions: readonly ChosenExtension[],
  given: ProposalTest['arguments'],
): Record<string, unknown> {
  const sample = extensions.find(({ extension }) => extension === 'x-sample')?.value;
  const known = new Set(Object.keys(Object(tool.inputSchema['properties'])));
  const samples = Object.entries(isObject(sample) ? sample : {}).filter(([name]) =>
    known.has(name),
  );
  const limit = tool.payload.items === null ? {} : { _limit: MAX_ROWS };
  return { ...Object.fromEntries(samples), ...limit, ...given };
}

/**
 * A response without the rows or the total that were promised, or with an only row, which may hold the rows. One that names a
 * refusal is believed.
 */
function mayBeCorrected(result: CallOutcome | CallFailure): result is CallOutcome {
  if (result instanceof CallFailure || result.response.status >= 400) return false;
  const { kind, rows, response } = result;
  if (kind === 'failed') return response.code === undefined;
  return kind === 'no_data' || rows?.total == null || rows.returned <= 1;
}

function readable({ response: { json } }: CallOutcome): unknown {
  return json.length > MAX_READ_BYTES ? undefined : JSON.parse(json.toString('utf8'));
}

function toView(
  result: CallOutcome | CallFailure,
  corrections: readonly ChosenExtension[],
): TestView {
  const { auditId } = result;
  if (result instanceof CallFailure) {
    const { error } = result;
    const nothing = { status: null, rows: [], total: null, corrections: [] };
    const { code, message } = error;
    return { outcome: 'failed', cause: causeOfError(error), code, message, ...nothing, auditId };
  }
  const { entry, response, kind, cause, rows } = result;
  const { message, publicData, status } = response;
  const { items } = entry.tool.payload;
  const total = rows?.total ?? null;
  // Rows that the total counts are not where they were looked for.
  const isMissing = kind === 'ok' && !isGood(result);
  return {
    outcome: isMissing ? 'no_data' : kind,
    cause: isMissing ? 'no_data' : cause,
    code: null,
    message: isMissing
      ? noRowsAt(items, total)
      : kind === 'ok'
        ? null
        : (message ?? publicData?.hint ?? null),
    status,
    rows: kind === 'ok' ? rowsIn(result, items) : [],
    total,
    corrections: corrections.map((each) => ({ ...each })),
    auditId,
  };
}

const noRowsAt = (items: string | null, total: number | null): string =>
  `The response counts ${total ?? 'some'} rows, but has none at ${items}. Correct x-items, or ask for another page.`;

function rowsIn(result: CallOutcome, items: string | null): Record<string, unknown>[] {
  const response = readable(result);
  const rows = items === null ? response : valueAt(response, parsePointer(items));
  return (Array.isArray(rows) ? rows : [rows]).filter(isObject).slice(0, MAX_ROWS);
}
