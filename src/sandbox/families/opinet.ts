import { htmlResponse, jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

/** JSON that says that it is a page for people. */
const answer = (RESULT: unknown): SandboxResponse => ({
  ...jsonResponse({ RESULT }),
  contentType: 'text/html;charset=UTF-8',
});

const withRows = (sample: SandboxResponse, count: number): SandboxResponse =>
  answer({ OIL: JSON.parse(sample.body).RESULT.OIL.slice(0, count) });

/** The oil corporation: no codes; a refusal is a word where the rows would be, or a page for people. */
export const opinet: UpstreamFamily = {
  addresses: ['https://www.opinet.co.kr/'],
  refuse(refusal) {
    if (refusal === 'unknown_path') return htmlResponse('Not Found', 404);
    if (typeof refusal === 'object') return htmlResponse('Error');
    return answer(refusal === 'quota' ? 'Limit Exceeded' : 'Invalid Key');
  },
  empty: (sample) => withRows(sample, 0),
  single: (sample) => withRows(sample, 1),
};
