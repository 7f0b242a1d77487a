import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [status: number, body: object] => {
  if (typeof refusal === 'object') {
    const missing = { type: 'missing', loc: ['query', refusal.missing], msg: 'Field required' };
    return [422, { detail: [missing] }];
  }
  if (refusal === 'quota') return [429, { error: 'Too Many Requests' }];
  if (refusal === 'unknown_path') return [404, { error: 'notfound' }];
  return [403, { error: 'Forbidden' }];
};

function withRows(sample: SandboxResponse, count: number): SandboxResponse {
  const { docs, ...rest } = JSON.parse(sample.body);
  const found = { ...rest, numFound: count, num_found: count };
  return jsonResponse({ ...found, docs: docs.slice(0, count) });
}

/** Open Library: no key, plain HTTP statuses, invalid parameters at `detail`. */
export const openLibrary: UpstreamFamily = {
  addresses: ['https://openlibrary.org'],
  refuse(refusal) {
    const [status, body] = refusalOf(refusal);
    return jsonResponse(body, status);
  },
  empty: (sample) => withRows(sample, 0),
  single: (sample) => withRows(sample, 1),
};
