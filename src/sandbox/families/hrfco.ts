import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [code: string, message: string] => {
  if (typeof refusal === 'object') return ['400', `missing ${refusal.missing}`];
  if (refusal === 'quota') return ['429', 'quota exceeded'];
  if (refusal === 'unknown_path') return ['404', 'no such service'];
  return ['401', 'invalid service key'];
};

function withRows(sample: SandboxResponse, count: number): SandboxResponse {
  const { content, ...rest } = JSON.parse(sample.body);
  return jsonResponse({ ...rest, content: content.slice(0, count) });
}

/** The flood control offices: a refusal has no `content`; its wording is not documented. */
export const hrfco: UpstreamFamily = {
  addresses: ['https://api.hrfco.go.kr'],
  refuse(refusal) {
    const [code, message] = refusalOf(refusal);
    return jsonResponse({ code, message });
  },
  empty: (sample) => withRows(sample, 0),
  single: (sample) => withRows(sample, 1),
};
