import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { portalRefusal } from './data-portal.ts';

const headerOnly = (resultCode: string, resultMsg: string): SandboxResponse =>
  jsonResponse({ header: { resultCode, resultMsg } });

/** The oceanographic agency on data.go.kr: header and body are at the root. */
export const khoa: UpstreamFamily = {
  addresses: ['https://apis.data.go.kr/1192136/'],
  refuse: (refusal) =>
    typeof refusal === 'string'
      ? portalRefusal(refusal)
      : headerOnly('11', 'NO_MANDATORY_REQUEST_PARAMETERS_ERROR'),
  empty: () => headerOnly('03', 'NODATA_ERROR'),
  single(sample) {
    const { header, body } = JSON.parse(sample.body);
    const items = { item: body.items.item[0] };
    return jsonResponse({ header, body: { ...body, items, totalCount: 1 } });
  },
};
