import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal, withItems } from './data-portal.ts';

/** The financial services commission on data.go.kr: an empty result is a success, with an empty string for the items. */
export const fsc: UpstreamFamily = {
  ...dataPortal,
  addresses: ['https://apis.data.go.kr/1160100'],
  empty: (sample) => withItems(sample, () => ({ items: '', totalCount: 0 })),
};
