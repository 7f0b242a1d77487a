import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal } from './data-portal.ts';

/** The sample with other items; AirKorea has the rows directly at `items`. */
function withRows(
  sample: SandboxResponse,
  change: (rows: readonly unknown[]) => { items: unknown; totalCount: number },
): SandboxResponse {
  const { response } = JSON.parse(sample.body);
  const body = { ...response.body, ...change(response.body.items) };
  return jsonResponse({ response: { ...response, body } });
}

/** The air-quality service on data.go.kr: `items` is the array of rows, or the row itself if there is only one. */
export const airKorea: UpstreamFamily = {
  addresses: ['https://apis.data.go.kr/B552584/'],
  refuse: dataPortal.refuse,
  empty: (sample) => withRows(sample, () => ({ items: [], totalCount: 0 })),
  single: (sample) => withRows(sample, ([row]) => ({ items: row, totalCount: 1 })),
};
