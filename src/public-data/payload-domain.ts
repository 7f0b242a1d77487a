import { JsonDocument, ROOT } from '../platform/kernel/json-document.ts';
import type { PayloadDomain } from '../upstreams/payload/payload-domain.ts';
import {
  causeOf,
  causeOfStatus,
  codeOfText,
  describeCode,
  isNoData,
  isTransient,
  meantCode,
} from './result-code.ts';
import { decodeWindows949 } from './windows-949.ts';

const HEAD = Buffer.from('{"response":');
const TAIL = Buffer.from('}');

/**
 * Adapts a document to the envelope that the preset's pointers expect; `first` is the first member in these pointers.
 * Public-data services put `header` and `body` at the top level or inside `response`, and some have switched from one
 * form to the other.
 */
function alignEnvelope(document: JsonDocument, first: string | undefined): JsonDocument {
  if (first !== 'response' && first !== 'header' && first !== 'body') return document;
  const { json } = document;
  const inner = document.child(ROOT, 'response');
  if (first !== 'response') {
    return inner !== undefined && document.kind(inner) === 'object'
      ? new JsonDocument(json.subarray(document.start(inner), document.end(inner)))
      : document;
  }
  const header = inner === undefined ? document.child(ROOT, 'header') : undefined;
  return header !== undefined && document.kind(header) === 'object'
    ? new JsonDocument(Buffer.concat([HEAD, json, TAIL]))
    : document;
}

/** Where the header of a refusal by the portal is. */
const FAULT_HEADERS = [
  '/OpenAPI_ServiceResponse/cmmMsgHeader',
  '/response/cmmMsgHeader',
  '/cmmMsgHeader',
];

/** The payload formats of Korean public-data upstreams. */
export const PUBLIC_DATA_PAYLOADS: PayloadDomain = {
  alignEnvelope,
  codes: {
    // If the key, quota or path is wrong, the portal responds instead of the service; its code takes precedence.
    before: FAULT_HEADERS.map((header) => `${header}/returnReasonCode`),
    // Some services reject a request with a flat object.
    after: ['/response/header/resultCode', '/header/resultCode', '/resultCode'],
  },
  messages: {
    // `errMsg` is "SERVICE ERROR" for every refusal.
    before: FAULT_HEADERS.flatMap((header) => [`${header}/returnAuthMsg`, `${header}/errMsg`]),
    after: ['/response/header/resultMsg', '/header/resultMsg', '/resultMsg'],
  },
  envelopes: new Set(['response', 'OpenAPI_ServiceResponse', 'cmmMsgHeader']),
  codeOfText,
  meantCode,
  causeOf,
  causeOfStatus,
  isNoData,
  isTransient,
  describeCode,
  charset: {
    encoding: 'euc-kr',
    aliases: /^(x-)?(cp|ms|windows-)?949$|^(x-)?uhc$/i,
    decode: decodeWindows949,
  },
};
