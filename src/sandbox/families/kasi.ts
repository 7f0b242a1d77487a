import { isXml } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal, withItems } from './data-portal.ts';
import { portalXml } from './portal-xml.ts';

/** The astronomy institute on data.go.kr: in both formats, an empty result is a success with empty items. */
export const kasi: UpstreamFamily = {
  ...dataPortal,
  addresses: ['https://apis.data.go.kr/B090041/'],
  empty: (sample) =>
    isXml(sample)
      ? portalXml.empty(sample)
      : withItems(sample, () => ({ items: '', totalCount: 0 })),
};
