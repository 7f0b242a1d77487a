import { GatewayError } from '../../platform/kernel/error.ts';
import { type Redactor, redactorFor } from '../redaction/redact-secrets.ts';
import { kindOf } from './body-kind.ts';
import { createUtf8Converter } from './charset.ts';
import { describeBody, describeDocument } from './describe-document.ts';
import { JsonDocument } from './json-document.ts';
import { isSpace } from './json-scanner.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { wrapBody, wrapErrorBody } from './plain-body.ts';
import { createPrepareShape } from './prepare-shape.ts';
import { readXml } from './read-xml.ts';

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

/** Redacts before anything is read: result codes go to records and metrics. */
function redact(document: JsonDocument, redactor: Redactor): JsonDocument {
  const json = redactor.json(document.json);
  return json === document.json ? document : new JsonDocument(json);
}

const unread = (cause: unknown): GatewayError =>
  new GatewayError('upstream_bad_payload', undefined, { cause });

/**
 * Reads an upstream's body as JSON (docs/contract.md#payloads), without the secrets that it repeats. With a status of
 * 400 or more every body has a form; otherwise throws `upstream_bad_payload` for an unreadable one and for an HTML page.
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
    if (kind === 'empty') return describeBody(Buffer.from('null'), input, prepared);
    if (kind === 'other') {
      const wrapped =
        status < 400
          ? wrapBody(body, contentType, toUtf8)
          : wrapErrorBody(body, contentType, toUtf8, redactor);
      return describeBody(redactor.json(wrapped), input, prepared);
    }
    let document: JsonDocument;
    try {
      const text = trimmed(toUtf8(body, contentType));
      const envelopes = input.isPublicData ? domain.envelopes : undefined;
      document = redact(kind === 'xml' ? readXml(text, envelopes) : readJson(text), redactor);
    } catch (error) {
      if (status < 400) throw unread(error);
      const page = redactor.json(wrapErrorBody(body, contentType, toUtf8, redactor));
      return describeBody(page, input, prepared);
    }
    return describeDocument(document, input, prepared, domain);
  };
}
