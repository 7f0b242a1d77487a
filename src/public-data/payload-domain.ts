import type { PayloadDomain } from '../upstreams/payload/payload-domain.ts';
import { alignEnvelope } from './align-envelope.ts';
import {
  causeOf,
  causeOfStatus,
  codeOfText,
  describeCode,
  isNoData,
  isTransient,
} from './result-code.ts';
import { decodeWindows949 } from './windows-949.ts';

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
