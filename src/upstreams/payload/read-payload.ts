import { GatewayError } from '../../platform/kernel/error.ts';
import { type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { type Redactor, redactorFor } from '../redaction/redact-secrets.ts';
import { readAsOf } from './as-of.ts';
import { kindOf } from './body-kind.ts';
import { createUtf8Converter } from './charset.ts';
import { JsonDocument } from './json-document.ts';
import { isSpace } from './json-scanner.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { wrapBody, wrapErrorBody } from './plain-body.ts';
import { shapeRows } from './rows.ts';
import { totalOf } from './rows-total.ts';
import { createJudge, type Judge, type Verdict } from './verdict.ts';
import { foldXml } from './xml-fold.ts';

function trimmed(bytes: Buffer): Buffer {
  let start = 0;
  let end = bytes.length;
  while (isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Some upstreams do not escape line breaks and other control characters in strings. */
function readJson(json: Buffer): JsonDocument {
  try {
    return new JsonDocument(json);
  } catch {
    return new JsonDocument(Buffer.from(json.map((byte) => (byte < 0x20 ? 0x20 : byte))));
  }
}

const readXml = (xml: Buffer): JsonDocument =>
  new JsonDocument(Buffer.from(JSON.stringify(foldXml(xml.toString()))));

/** Redacts before anything is read: result codes go to records and metrics. */
function redact(document: JsonDocument, redactor: Redactor): JsonDocument {
  const json = redactor.json(document.json);
  return json === document.json ? document : new JsonDocument(json);
}

const unread = (cause: unknown): GatewayError =>
  new GatewayError('upstream_bad_payload', undefined, { cause });

/** A response that is neither JSON nor XML cannot have the shape that a preset describes. */
function undocumented(json: Buffer, { shape, status }: PayloadInput): NormalisedPayload {
  const expectsNothing = shape.items === null && shape.success === null;
  return { json, ok: expectsNothing || status === 204 };
}

/** A payload shape whose pointers are parsed. */
interface PreparedShape {
  readonly items: Path | null;
  /** First name on the way to the rows or the result code. */
  readonly first: string | undefined;
  readonly judge: Judge;
}

function prepareShape(shape: PayloadShape, domain: PayloadDomain): PreparedShape {
  const pointer = shape.items || shape.success?.code || '';
  return {
    items: shape.items === null ? null : parsePointer(shape.items),
    first: parsePointer(pointer)[0],
    judge: createJudge(shape, domain),
  };
}

type Prepare = (shape: PayloadShape) => PreparedShape;

/** Prepares each shape once. */
function createPrepare(domain: PayloadDomain): Prepare {
  const prepared = new WeakMap<PayloadShape, PreparedShape>();
  return (shape) => {
    const known = prepared.get(shape);
    if (known) return known;
    const fresh = prepareShape(shape, domain);
    prepared.set(shape, fresh);
    return fresh;
  };
}

function statusOf({ ok, empty, code }: Verdict, domain: PayloadDomain): Partial<NormalisedPayload> {
  if (code === undefined) return {};
  const publicData = domain.describeCode(code, ok && !empty);
  return !ok && domain.isTransient(code) ? { publicData, isTransient: true } : { publicData };
}

function describe(
  received: JsonDocument,
  input: PayloadInput,
  { items, first, judge }: PreparedShape,
  domain: PayloadDomain,
): NormalisedPayload {
  const document = input.isPublicData ? domain.alignEnvelope(received, first) : received;
  const verdict = judge(document, input.isPublicData);
  // Missing rows are added to a successful response only, never to one that reports a failure.
  const isGood = verdict.ok && input.status < 400;
  const shaped =
    isGood && items ? shapeRows(document, items, verdict.empty) : { json: document.json };
  const status = input.isPublicData ? statusOf(verdict, domain) : {};
  const facts = isGood ? factsOf(document, shaped, input.shape) : {};
  return { ...shaped, ok: verdict.ok, ...status, ...facts };
}

/** What is read once, and kept with the payload in the cache. */
function factsOf(
  received: JsonDocument,
  { json }: Pick<NormalisedPayload, 'json'>,
  shape: PayloadShape,
): Pick<NormalisedPayload, 'total' | 'asOf'> {
  if (shape.total === null && shape.asOf === null) return {};
  const document = json === received.json ? received : new JsonDocument(json);
  const total = totalOf(document, shape);
  const asOf = readAsOf(document, shape);
  return { ...(total === null ? {} : { total }), ...(asOf === undefined ? {} : { asOf }) };
}

/**
 * Reads an upstream's body as JSON (docs/contract.md#payloads), without the secrets that it repeats. With a status of
 * 400 or more every body has a form; otherwise throws `upstream_bad_payload` for an unreadable one and for an HTML page.
 */
export type ReadPayload = (input: PayloadInput) => NormalisedPayload;

export function createPayloadReader(domain: PayloadDomain): ReadPayload {
  const toUtf8 = createUtf8Converter(domain.charset);
  const prepare = createPrepare(domain);
  return (input) => {
    const { body, contentType, status } = input;
    const redactor = redactorFor(input.hidden);
    const kind = kindOf(body, contentType);
    if (kind === 'empty') return undocumented(Buffer.from('null'), input);
    if (kind === 'other') {
      const wrapped =
        status < 400
          ? wrapBody(body, contentType, toUtf8)
          : wrapErrorBody(body, contentType, toUtf8, redactor);
      return undocumented(redactor.json(wrapped), input);
    }
    let document: JsonDocument;
    try {
      const text = trimmed(toUtf8(body, contentType));
      document = redact(kind === 'xml' ? readXml(text) : readJson(text), redactor);
    } catch (error) {
      if (status < 400) throw unread(error);
      return undocumented(redactor.json(wrapErrorBody(body, contentType, toUtf8, redactor)), input);
    }
    return describe(document, input, prepare(input.shape), domain);
  };
}
