import type { PayloadDomain } from '../upstreams/payload/payload-domain.ts';
import { alignEnvelope } from './align-envelope.ts';
import { describeCode, isNoData, isTransient } from './result-code.ts';
import { decodeWindows949 } from './windows-949.ts';

/** The payload formats of Korean public-data upstreams. */
export const PUBLIC_DATA_PAYLOADS: PayloadDomain = {
  alignEnvelope,
  codes: {
    // If the key, quota or path is wrong, the portal responds instead of the service; its code takes precedence.
    before: [
      '/OpenAPI_ServiceResponse/cmmMsgHeader/returnReasonCode',
      '/cmmMsgHeader/returnReasonCode',
    ],
    // Some services reject a request with a flat object.
    after: ['/response/header/resultCode', '/header/resultCode', '/resultCode'],
  },
  isNoData,
  isTransient,
  describeCode,
  charset: {
    encoding: 'euc-kr',
    aliases: /^(x-)?(cp|ms|windows-)?949$|^(x-)?uhc$/i,
    decode: decodeWindows949,
  },
};
