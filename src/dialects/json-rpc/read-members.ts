import { GatewayError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { RouteBody, RouteBodyDescription, RouteRequest } from '../route.ts';
import { readJson, reserveForParsing } from './read-json.ts';

/** Largest JSON of a request with a description: it is parsed on the event loop, in up to 10 ms. */
export const MAX_JSON_BYTES = 1024 * 1024;

const HOW_TO_SEND = `Send a large description as a part of a form: curl -F 'request={"name":"Pets"};type=application/json' -F document=@openapi.yaml`;

/**
 * The bodies of a request that may have a description: JSON, and a form whose part `request` is the JSON, and whose part
 * `document` is the description in place of `spec_raw`.
 */
export const documentBodies = (
  json: RouteBodyDescription,
  maxDocumentBytes: number,
): Readonly<Record<string, RouteBody>> => ({
  'application/json': { ...json, maxBytes: MAX_JSON_BYTES, tooLarge: HOW_TO_SEND },
  'multipart/form-data': {
    maxBytes: maxDocumentBytes + MAX_JSON_BYTES,
    schema: {
      type: 'object',
      properties: {
        request: json.schema,
        document: { type: 'string', format: 'binary', description: 'The description itself.' },
      },
    },
  },
});

/** Reads a JSON body. In a form, `spec_raw` is the description as bytes. */
export function readMembers(request: RouteRequest): unknown {
  const { body, headers } = request;
  if (!body?.length) {
    throw new GatewayError(
      'invalid_request',
      'The request has no body. Send a JSON object, with Content-Type: application/json.',
    );
  }
  const boundary = BOUNDARY.exec(String(headers['content-type']))?.slice(1).find(Boolean);
  if (boundary === undefined) {
    reserveForParsing(request);
    return readJson(body);
  }
  const { request: json, document } = readForm(body, boundary);
  if (json && json.length > MAX_JSON_BYTES) {
    throw new GatewayError('too_large', `The part request is larger than ${MAX_JSON_BYTES} bytes.`);
  }
  reserveForParsing({ body: json ?? null, memory: request.memory });
  const members = json ? readJson(json) : {};
  if (!document || !isObject(members)) return members;
  if ('spec_raw' in members) throw invalidForm('has `spec_raw` and the part document: send one.');
  return { ...members, spec_raw: document };
}

const BOUNDARY = /^multipart\/form-data *;.*?\bboundary=(?:"([^"\r\n]{1,70})"|([^\s";]{1,70}))/i;

type FormPart = 'request' | 'document';

/** Longest headers of a part. */
const MAX_HEAD_BYTES = 4 * 1024;

/** The parts of a form (RFC 7578), as views of its body. */
function readForm(body: Buffer, boundary: string): Readonly<Partial<Record<FormPart, Buffer>>> {
  const parts: Partial<Record<FormPart, Buffer>> = {};
  const delimiter = `\r\n--${boundary}`;
  let at = delimiter.length - 2;
  if (body.toString('latin1', 0, at) !== `--${boundary}`) throw invalidForm('is cut or empty.');
  while (body.toString('latin1', at, at + 2) === '\r\n') {
    const start = body.indexOf('\r\n\r\n', at) + 4;
    const end = body.indexOf(delimiter, start);
    if (start < 4 || start - at > MAX_HEAD_BYTES || end < 0) throw invalidForm('is cut.');
    const name = PART_NAME.exec(body.toString('latin1', at, start))?.[1] as FormPart | undefined;
    if (name === undefined || parts[name]) throw invalidForm(FORM_PARTS);
    parts[name] = body.subarray(start, end);
    at = end + delimiter.length;
  }
  if (body.toString('latin1', at, at + 2) !== '--') throw invalidForm('is cut.');
  return parts;
}

/** The name of a part; its `filename` does not matter. */
const PART_NAME = /^content-disposition:[^\r\n]*;[ \t]*name="?(request|document)"?[ \t]*[;\r]/im;

const FORM_PARTS =
  'has other parts than `request` (JSON) and `document` (the description), each once.';

const invalidForm = (what: string): GatewayError =>
  new GatewayError('unreadable_request', `The form ${what}`);
