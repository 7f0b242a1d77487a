import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../platform/kernel/error.ts';
import { JsonDocument } from '../../platform/kernel/json-document.ts';
import { type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import { isSpace } from '../../platform/kernel/json-scanner.ts';
import { decodeStart } from '../../platform/kernel/json-text.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { type Redactor, redactorFor } from '../redaction/redact-secrets.ts';
import { createUtf8Converter, type ToUtf8 } from './charset.ts';
import { type DocumentRows, rowsOfDocument } from './document-rows.ts';
import { createJudge, type Explanation, type Judge, type Judgement } from './judge-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { readAsOf, totalOf } from './payload-facts.ts';
import { readCsv } from './read-csv.ts';
import { isJsonType, readJson } from './read-json.ts';
import { readXml, type XmlReading } from './read-xml.ts';
import { type Rows, refineRows, shapeRows } from './rows.ts';
import type { NormalisedPayload, PayloadInput } from './upstream-response.ts';

/**
 * Reads an upstream's body as JSON (docs/contract.md#payloads), without the secrets that it repeats. A body that is not
 * what it claims to be is text. Only where a document promises rows or a result code, and the status is below 400, is it
 * `upstream_bad_payload`.
 */
export type ReadPayload = (input: PayloadInput) => NormalisedPayload;

export function createPayloadReader(domain: PayloadDomain): ReadPayload {
  const toUtf8 = createUtf8Converter(domain.charset);
  const prepare = createPrepareShape(domain);
  return (input) => {
    const { body, contentType, status } = input;
    const redactor = redactorFor(input.hidden);
    const kind = kindOf(body, contentType);
    const prepared = prepare(input.shape);
    if (kind === 'empty') return describeBody(Buffer.from('null'), input, prepared, domain);
    if (kind === 'other') {
      const table =
        input.shape.finds && status < 400
          ? readCsv(toUtf8(body, contentType), contentType)
          : undefined;
      if (table)
        return describeDocument(redact(new JsonDocument(table), redactor), input, prepared, domain);
      return describeBody(wrapBody(input, toUtf8, redactor), input, prepared, domain);
    }
    const isPromised = promisesData(input);
    let document: JsonDocument;
    try {
      const text = trimmed(toUtf8(body, contentType));
      const envelopes = input.isPublicData ? domain.envelopes : undefined;
      document = redact(
        kind === 'xml'
          ? readMarkup(text, contentType, { envelopes, isOrdered: !isPromised })
          : readJson(text, contentType, isPromised),
        redactor,
      );
    } catch (error) {
      if (isPromised && status < 400 && !input.isWrite) throw unread(error);
      return describeBody(wrapBody(input, toUtf8, redactor), input, prepared, domain);
    }
    return describeDocument(document, input, prepared, domain);
  };
}

function trimmed(bytes: Buffer): Buffer {
  let start = 0;
  let end = bytes.length;
  while (isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Whether a preset or the domain says what a good response has: then anything else is a failure. */
const promisesData = ({ isPublicData, shape }: PayloadInput): boolean =>
  isPublicData || shape.items !== null || shape.success !== null;

/** Documents for people, in which the order of words and elements is their meaning; many servers send XML as HTML. */
const PROSE_TYPE = /^\s*text\/(?!plain|xml)|html|markdown|\bsvg\b/i;
const XML_DECLARATION = Buffer.from('<?xml');

/** Reads XML; throws for what would lose its order. */
function readMarkup(text: Buffer, contentType: string, reading: XmlReading): JsonDocument {
  const isDeclared = text.subarray(0, XML_DECLARATION.length).equals(XML_DECLARATION);
  if (reading.isOrdered && !isDeclared && PROSE_TYPE.test(contentType)) {
    throw new Error('This is prose.');
  }
  return readXml(text, reading);
}

/** Redacts before anything is read: result codes go to records and metrics. */
const redact = (document: JsonDocument, redactor: Redactor): JsonDocument =>
  document.with(redactor.json(document.json));

const unread = (cause: unknown): GatewayError =>
  new GatewayError('upstream_bad_payload', undefined, { cause });

/** The kind of a body, according to its first bytes: the content-type is wrong too often. */
type BodyKind = 'empty' | 'json' | 'xml' | 'other';

const SKIPPED = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x00, 0x20, 0x09, 0x0a, 0x0d, 0x1e]);

/** Checks the first character after blanks, byte order marks, the zero bytes of UTF-16 and the mark of RFC 7464. */
export function kindOf(body: Buffer, contentType: string): BodyKind {
  const first = body.find((byte) => !SKIPPED.has(byte));
  if (first === undefined) return 'empty';
  if (first === 0x3c) return 'xml';
  if (first === 0x7b || first === 0x5b) return 'json';
  return isJsonType(contentType) ? 'json' : 'other';
}

/** A payload shape whose pointers are parsed. */
interface PreparedShape {
  readonly items: Path | null;
  /** First name on the way to the rows or the result code. */
  readonly first: string | undefined;
  readonly judge: Judge;
}

/** Prepares each shape once. */
const createPrepareShape = (domain: PayloadDomain) =>
  memoizeEach(
    (shape: PayloadShape): PreparedShape => ({
      items: shape.items === null ? null : parsePointer(shape.items),
      first: parsePointer(shape.items || shape.success?.code[0] || '')[0],
      judge: createJudge(shape, domain),
    }),
  );

/**
 * Describes a response that is neither JSON nor XML, and so cannot have the shape that a preset describes. `json` is what
 * it was wrapped as.
 */
function describeBody(
  json: Buffer,
  input: PayloadInput,
  { judge }: PreparedShape,
  domain: PayloadDomain,
): NormalisedPayload {
  const { shape, status } = input;
  const expectsNothing = shape.items === null && shape.success === null;
  const ok = expectsNothing || status === 204;
  if (ok && status < 400) return { json, ok };
  const explanation = judge.ofText(textIn(json), input);
  const { code } = explanation;
  const named = code === undefined ? {} : publicDataOf({ ok, empty: false, code }, domain);
  return { json, ok, ...named, ...explanation };
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
function describeDocument(
  received: JsonDocument,
  input: PayloadInput,
  { items, first, judge }: PreparedShape,
  domain: PayloadDomain,
): NormalisedPayload {
  const { status, isPublicData, shape } = input;
  const document = isPublicData ? domain.alignEnvelope(received, first) : received;
  const judgement = judge.ofDocument(document, input);
  const isGood = judgement.ok && status < 400;
  const { empty } = judgement;
  const judged = {
    ...(isGood && !empty ? { ok: true } : explained(judgement)),
    ...(isPublicData ? publicDataOf(judgement, domain) : undefined),
  };
  if (!isGood) return { json: document.json, ...judged };
  if (shape.finds) return { json: document.json, ...judged, ...foundIn(document, shape) };
  const shaped = items ? shapeRows(document, items, empty) : { json: document.json };
  const refined = items
    ? refineRows(shaped, items, { ...shape, arguments: input.arguments })
    : shaped;
  const hasFacts = shape.total !== null || shape.asOf !== null;
  const facts = hasFacts && factsOf(document.with(refined.json), shaped, refined, shape);
  return { ...refined, ...judged, ...facts, ...pagesOf(document, refined.json, shape) };
}

/** The rows of a registered API, their total and what leads to the next page, as the response itself shows. */
function foundIn(document: JsonDocument, shape: PayloadShape): Partial<DocumentRows> {
  const { finds, paging, total: pointer } = shape;
  const rows = finds && rowsOfDocument(document, finds, paging);
  const total = pointer === null ? rows?.total : (totalOf(document, shape) ?? undefined);
  return { ...rows, ...(total === undefined ? {} : { total }) };
}

/** Where the description says where the rows are (`x-items`), only the next page is looked for. */
function pagesOf(
  document: JsonDocument,
  json: Buffer,
  { items, itemWrapper, paging, total: ofDescription }: PayloadShape,
): Pick<NormalisedPayload, 'total' | 'pages'> {
  if (items === null || !paging) return {};
  const expected = { items, itemWrapper, total: null, next: null, evidence: '' };
  const search = { expected, columns: [], names: [], isOne: true };
  const rows = rowsOfDocument(document.with(json), search, paging);
  if (rows?.found.items !== items) return {};
  const total = ofDescription === null ? rows.total : undefined;
  return { ...(rows.pages && { pages: rows.pages }), ...(total === undefined ? {} : { total }) };
}

/** What a response without data, or a failure, says about itself. */
const explained = ({ empty: _, ...explanation }: Judgement): Explanation & { ok: boolean } =>
  explanation;

function publicDataOf(
  { ok, empty, code, cause }: Judgement,
  domain: PayloadDomain,
): Pick<NormalisedPayload, 'publicData' | 'isTransient'> {
  if (code === undefined) return {};
  const described = domain.describeCode(code, ok && !empty);
  const usual = domain.causeOf(code);
  if (cause !== undefined && usual !== undefined && cause !== usual) {
    // The service has a meaning of its own for the code: what the portal advises is about another one.
    const { hint: _ofAnother, ...publicData } = described;
    return { publicData };
  }
  return !ok && domain.isTransient(code)
    ? { publicData: described, isTransient: true }
    : { publicData: described };
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

const TEXT_TYPE = /^\s*text\/|charset=|[/+](json|xml|csv|javascript|x-www-form-urlencoded)\b/i;

/** Types whose bytes are not for reading, even if they happen to be text. */
const BINARY_TYPE = /^\s*(image|audio|video|font|model)\/|[/+](pdf|zip|gzip|wasm)\b/i;

const isText = (body: Buffer, contentType: string): boolean =>
  TEXT_TYPE.test(contentType) ||
  (!BINARY_TYPE.test(contentType) && isUtf8(body) && !body.includes(0));

/**
 * A body that is neither JSON nor XML, as JSON without secrets: `{text}`, or `{contentType, bytes, base64}` for binary
 * ones. Of an error page, the text is readable.
 */
function wrapBody(input: PayloadInput, toUtf8: ToUtf8, redactor: Redactor): Buffer {
  const { body, contentType, status } = input;
  const wrap = (value: object): Buffer => redactor.json(Buffer.from(JSON.stringify(value)));
  if (!isText(body, contentType)) {
    return wrap({ contentType, bytes: body.length, base64: body.toString('base64') });
  }
  const text = toUtf8(body, contentType);
  if (status < 400) return wrap({ text: text.toString().trim() });
  // Redacted before it is cut: half a secret would not be found.
  const safe = redactor.text(text).toString();
  const isPage = promisesData(input) || kindOf(body, contentType) === 'xml';
  return wrap({ text: isPage ? readable(safe) : safe.trim().slice(0, SHOWN_CHARACTERS) });
}

// An error page states its error early. Reading no further also bounds the work of the expressions below.
const READ_CHARACTERS = 8192;
const SHOWN_CHARACTERS = 2000;

/** The text of an error page without tags, cut to a readable length. */
const readable = (page: string): string =>
  page
    .slice(0, READ_CHARACTERS)
    .replace(/<!--.*?-->|<(script|style)\b.*?<\/\1\s*>|<[^<>]*>/gis, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, SHOWN_CHARACTERS);
