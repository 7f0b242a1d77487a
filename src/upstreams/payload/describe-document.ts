import type { PayloadShape } from '../../tools/model.ts';
import { readAsOf } from './as-of.ts';
import type { JsonDocument } from './json-document.ts';
import { decodeStart } from './json-text.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import type { PreparedShape } from './prepare-shape.ts';
import { refineRows } from './refine-rows.ts';
import { type Rows, shapeRows } from './rows.ts';
import { totalOf } from './rows-total.ts';
import type { Verdict } from './verdict.ts';

/**
 * Describes a response that is neither JSON nor XML, and so cannot have the shape that a preset describes. `json` is what
 * it was wrapped as.
 */
export function describeBody(
  json: Buffer,
  input: PayloadInput,
  { explain }: PreparedShape,
): NormalisedPayload {
  const { shape, status } = input;
  const expectsNothing = shape.items === null && shape.success === null;
  const ok = expectsNothing || status === 204;
  return ok && status < 400 ? { json, ok } : { json, ok, ...explain.ofText(textIn(json), input) };
}

const TEXT_HEAD = '{"text":"';
const TEXT_TAIL = '"}';
/** Read of a text, in bytes: more than a message holds. */
const READ_BYTES = 4096;

/** The start of the text in `{"text": …}`. */
function textIn(json: Buffer): string | undefined {
  if (json.toString('latin1', 0, TEXT_HEAD.length) !== TEXT_HEAD) return undefined;
  return decodeStart(json.subarray(TEXT_HEAD.length, -TEXT_TAIL.length), READ_BYTES).trim();
}

/** Describes a response that is JSON by now. Missing rows are added to a good one only. */
export function describeDocument(
  received: JsonDocument,
  input: PayloadInput,
  { items, first, judge, explain }: PreparedShape,
  domain: PayloadDomain,
): NormalisedPayload {
  const { status, isPublicData, shape } = input;
  const document = isPublicData ? domain.alignEnvelope(received, first) : received;
  const verdict = judge(document, isPublicData);
  const { ok, empty } = verdict;
  const isGood = ok && status < 400;
  const judged = {
    ok,
    ...(isPublicData ? publicDataOf(verdict, domain) : {}),
    ...(isGood && !empty ? {} : explain.ofDocument(document, verdict, input)),
  };
  if (!isGood) return { json: document.json, ...judged };
  const shaped = items ? shapeRows(document, items, empty) : { json: document.json };
  const refined = items
    ? refineRows(shaped, items, { ...shape, arguments: input.arguments })
    : shaped;
  const hasFacts = shape.total !== null || shape.asOf !== null;
  const facts = hasFacts ? factsOf(document.with(refined.json), shaped, refined, shape) : {};
  return { ...refined, ...judged, ...facts };
}

function publicDataOf(
  { ok, empty, code }: Verdict,
  domain: PayloadDomain,
): Pick<NormalisedPayload, 'publicData' | 'isTransient'> {
  if (code === undefined) return {};
  const publicData = domain.describeCode(code, ok && !empty);
  return !ok && domain.isTransient(code) ? { publicData, isTransient: true } : { publicData };
}

/** What is read once, and kept with the payload in the cache. */
function factsOf(
  document: JsonDocument,
  shaped: Rows,
  refined: Rows,
  shape: PayloadShape,
): Pick<NormalisedPayload, 'total' | 'asOf'> {
  const read = shape.total === null ? null : totalOf(document, shape);
  const total = shape.listColumn === undefined ? read : recounted(read, shaped, refined);
  const asOf = shape.asOf === null ? undefined : readAsOf(document, shape);
  return { ...(total === null ? {} : { total }), ...(asOf === undefined ? {} : { asOf }) };
}

/** An upstream that sends lists counts them and not the rows in them: of several pages, the sum is unknown. */
function recounted(total: number | null, shaped: Rows, refined: Rows): number | null {
  if (shaped.rows === refined.rows) return total;
  return total === shaped.rows ? (refined.rows ?? null) : null;
}
