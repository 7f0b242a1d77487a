import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal, withItems } from './data-portal.ts';

/** The financial services commission on data.go.kr: no rows are an empty text, and a success. */
export const fsc: UpstreamFamily = {
  ...dataPortal,
  addresses: ['https://apis.data.go.kr/1160100'],
  empty: (sample) => withItems(sample, () => ({ items: '', totalCount: 0 })),
};
