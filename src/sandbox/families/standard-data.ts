import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import { portalRefusal } from './data-portal.ts';

/** The sample with another header and body in its own envelope: within `response`, or at the root. */
function inEnvelope(
  sample: SandboxResponse | undefined,
  change: (content: Content) => object,
): SandboxResponse {
  const value = sample ? JSON.parse(sample.body) : {};
  return jsonResponse(value.header ? change(value) : { response: change(value.response ?? {}) });
}

interface Content {
  readonly header: unknown;
  readonly body: { readonly items: readonly unknown[] | { readonly item: readonly unknown[] } };
}

const headerOnly = (resultCode: string, resultMsg: string) => ({
  header: { resultCode, resultMsg },
});

/** An older envelope has the rows at `items`, the current one at `items.item`, where a single row has no array. */
const firstOf = (items: Content['body']['items']) =>
  'item' in items ? { item: items.item[0] } : items.slice(0, 1);

/** The standard datasets on data.go.kr, whose envelope has changed over time. */
export const standardData: UpstreamFamily = {
  addresses: ['https://api.data.go.kr/openapi'],
  refuse: (refusal, sample) =>
    typeof refusal === 'string'
      ? portalRefusal(refusal)
      : inEnvelope(sample, () => headerOnly('11', 'NO_MANDATORY_REQUEST_PARAMETERS_ERROR')),
  empty: (sample) => inEnvelope(sample, () => headerOnly('03', 'NODATA_ERROR')),
  single: (sample) =>
    inEnvelope(sample, ({ header, body }) => ({
      header,
      body: { ...body, items: firstOf(body.items), totalCount: 1 },
    })),
};
