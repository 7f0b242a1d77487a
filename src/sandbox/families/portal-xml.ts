import { keepItems } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal } from './data-portal.ts';

/** Services on data.go.kr that know nothing but XML: no rows are an empty element, and a success. */
export const portalXml: UpstreamFamily = {
  ...dataPortal,
  addresses: ['https://apis.data.go.kr/1613000', 'https://apis.data.go.kr/1220000/'],
  empty: (sample) => ({
    ...sample,
    body: keepItems(sample.body, 0).replace(/<totalCount>\d+</, '<totalCount>0<'),
  }),
};
