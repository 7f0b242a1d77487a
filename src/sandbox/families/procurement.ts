import type { UpstreamFamily } from '../upstream-family.ts';
import { airKorea } from './air-korea.ts';

/** The procurement service on data.go.kr: its JSON has the rows directly at `items`, like AirKorea. */
export const procurement: UpstreamFamily = {
  ...airKorea,
  addresses: ['https://apis.data.go.kr/1230000/'],
};
