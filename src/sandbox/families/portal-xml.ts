import { keepItems } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal } from './data-portal.ts';

/** Services on data.go.kr that support only XML: an empty result is a success, with an empty element. */
export const portalXml: UpstreamFamily = {
  ...dataPortal,
  addresses: ['https://apis.data.go.kr/1613000', 'https://apis.data.go.kr/1220000/'],
  empty: (sample) => ({
    ...sample,
    body: keepItems(sample.body, 0).replace(/<totalCount>\d+</, '<totalCount>0<'),
  }),
};
