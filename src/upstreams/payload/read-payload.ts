import { GatewayError } from '../../platform/kernel/error.ts';
import { publicDataHint, publicDataMessage } from '../../public-data/result-code.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { type Redactor, redactorFor } from '../redaction/redact-secrets.ts';
import { kindOf } from './body-kind.ts';
import { toUtf8 } from './charset.ts';
import { alignEnvelope } from './envelope.ts';
import { JsonDocument } from './json-document.ts';
import { type Path, parsePointer } from './json-pointer.ts';
import { isSpace } from './json-scanner.ts';
import type { NormalisedPayload, PayloadInput, PublicDataStatus } from './normalise-payload.ts';
import { wrapBody, wrapErrorBody } from './plain-body.ts';
import { shapeRows } from './rows.ts';
import { createJudge, type Judge, type Verdict } from './verdict.ts';
import { foldXml } from './xml-fold.ts';

/** A payload shape with its pointers taken apart. */
interface PreparedShape {
  readonly items: Path | null;
  /** First name on the way to the rows or the result code. */
  readonly first: string | undefined;
  readonly judge: Judge;
}

const prepared = new WeakMap<PayloadShape, PreparedShape>();

function prepare(shape: PayloadShape): PreparedShape {
  const known = prepared.get(shape);
  if (known) return known;
  const pointer = shape.items || shape.success?.code || '';
  const fresh: PreparedShape = {
    items: shape.items === null ? null : parsePointer(shape.items),
    first: parsePointer(pointer)[0],
    judge: createJudge(shape),
  };
  prepared.set(shape, fresh);
  return fresh;
}

function trimmed(bytes: Buffer): Buffer {
  let start = 0;
  let end = bytes.length;
  while (isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Some upstreams leave line breaks and other control characters bare within strings. */
function readJson(json: Buffer): JsonDocument {
  try {
    return new JsonDocument(json);
  } catch {
    return new JsonDocument(Buffer.from(json.map((byte) => (byte < 0x20 ? 0x20 : byte))));
  }
}

const readXml = (xml: Buffer): JsonDocument =>
  new JsonDocument(Buffer.from(JSON.stringify(foldXml(xml.toString()))));

/** Before anything is read from it: result codes go to records and metrics. */
function redact(document: JsonDocument, redactor: Redactor): JsonDocument {
  const json = redactor.json(document.json);
  return json === document.json ? document : new JsonDocument(json);
}

const unread = (cause: unknown): GatewayError =>
  new GatewayError('upstream_bad_payload', undefined, { cause });

/** An answer that is no document cannot be what a preset with a shape promises. */
function undocumented(json: Buffer, { shape, status }: PayloadInput): NormalisedPayload {
  const expectsNothing = shape.items === null && shape.success === null;
  return { json, ok: expectsNothing || status === 204 };
}

function publicDataOf({ ok, empty, code }: Verdict): PublicDataStatus | undefined {
  if (code === undefined) return undefined;
  // A code that the preset counts as success is not an error that the table does not know.
  const message = publicDataMessage(ok && !empty ? '00' : code);
  const hint = publicDataHint(code);
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

function describe(received: JsonDocument, input: PayloadInput): NormalisedPayload {
  const { items, first, judge } = prepare(input.shape);
  const document = input.isPublicData ? alignEnvelope(received, first) : received;
  const verdict = judge(document, input.isPublicData);
  // Rows are given their place in good answers only: nothing is invented in one that reports a failure.
  const isGood = verdict.ok && input.status < 400;
  const shaped =
    isGood && items ? shapeRows(document, items, verdict.empty) : { json: document.json };
  const publicData = input.isPublicData ? publicDataOf(verdict) : undefined;
  return { ...shaped, ok: verdict.ok, ...(publicData ? { publicData } : {}) };
}

/**
 * An upstream's body as JSON (docs/contract.md#payloads), without the secrets that it repeats. With a status of 400 or
 * more every body has a form; otherwise throws `upstream_bad_payload` for one that cannot be read, and for an HTML page.
 */
export function readPayload(input: PayloadInput): NormalisedPayload {
  const { body, contentType, status } = input;
  const redactor = redactorFor(input.hidden);
  const kind = kindOf(body, contentType);
  if (kind === 'empty') return undocumented(Buffer.from('null'), input);
  if (kind === 'other') {
    const wrap = status < 400 ? wrapBody : wrapErrorBody;
    return undocumented(redactor.json(wrap(body, contentType, redactor)), input);
  }
  let document: JsonDocument;
  try {
    const text = trimmed(toUtf8(body, contentType));
    document = redact(kind === 'xml' ? readXml(text) : readJson(text), redactor);
  } catch (error) {
    if (status < 400) throw unread(error);
    return undocumented(redactor.json(wrapErrorBody(body, contentType, redactor)), input);
  }
  return describe(document, input);
}
