import { jsonResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { portalRefusal, singleRow, withItems } from './data-portal.ts';

/** The tourism organisation on data.go.kr: a refused parameter lacks the envelope; without rows, the items are ''. */
export const tour: UpstreamFamily = {
  addresses: ['https://apis.data.go.kr/B551011/'],
  refuse: (refusal) =>
    typeof refusal === 'string'
      ? portalRefusal(refusal)
      : jsonResponse({
          responseTime: '2026-11-20T09:00:00.000',
          resultCode: '11',
          resultMsg: `NO_MANDATORY_REQUEST_PARAMETERS_ERROR1(${refusal.missing})`,
        }),
  empty: (sample) => withItems(sample, () => ({ items: '', totalCount: 0 })),
  single: singleRow,
};
