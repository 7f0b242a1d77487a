import { htmlResponse, keepItems } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

/** XML only, without error bodies: every refusal is an HTML page. */
export const heritage: UpstreamFamily = {
  addresses: ['https://www.khs.go.kr/'],
  refuse: (refusal) =>
    refusal === 'unknown_path' ? htmlResponse('Not Found', 404) : htmlResponse('Error'),
  // The detail operation, which has no total, returns an empty item for an unknown key.
  empty: (sample) => ({
    ...sample,
    body: sample.body.includes('<totalCnt>')
      ? keepItems(sample.body, 0).replace(/<totalCnt>\d+</, '<totalCnt>0<')
      : sample.body.replace(/<item>[\s\S]*<\/item>/, '<item></item>'),
  }),
  single: (sample) => ({ ...sample, body: keepItems(sample.body, 1) }),
};
