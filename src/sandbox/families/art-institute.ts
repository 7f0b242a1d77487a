import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [status: number, error: string] => {
  if (refusal === 'quota') return [429, 'Too many requests'];
  if (refusal === 'unknown_path') return [404, 'Not found'];
  return [400, 'Invalid request'];
};

function keepWorks(sample: SandboxResponse, keep: number): SandboxResponse {
  const { pagination, data, ...rest } = JSON.parse(sample.body);
  const counted = { ...pagination, total: keep, total_pages: keep };
  return jsonResponse({ ...rest, pagination: counted, data: data.slice(0, keep) });
}

/** The Art Institute of Chicago: plain HTTP statuses with an undocumented body. */
export const artInstitute: UpstreamFamily = {
  addresses: ['https://api.artic.edu/'],
  refuse(refusal) {
    const [status, error] = refusalOf(refusal);
    return jsonResponse({ status, error }, status);
  },
  empty: (sample) => keepWorks(sample, 0),
  single: (sample) => keepWorks(sample, 1),
};
