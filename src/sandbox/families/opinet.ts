import { htmlResponse, jsonResponse, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

/** JSON with the content type of HTML. */
const mislabelledJson = (RESULT: unknown): SandboxResponse => ({
  ...jsonResponse({ RESULT }),
  contentType: 'text/html;charset=UTF-8',
});

const withRows = (sample: SandboxResponse, count: number): SandboxResponse =>
  mislabelledJson({ OIL: JSON.parse(sample.body).RESULT.OIL.slice(0, count) });

/** The oil corporation: no codes; a refusal is a string in place of the rows, or an HTML page. */
export const opinet: UpstreamFamily = {
  addresses: ['https://www.opinet.co.kr/'],
  refuse(refusal) {
    if (refusal === 'unknown_path') return htmlResponse('Not Found', 404);
    if (typeof refusal === 'object') return htmlResponse('Error');
    return mislabelledJson(refusal === 'quota' ? 'Limit Exceeded' : 'Invalid Key');
  },
  empty: (sample) => withRows(sample, 0),
  single: (sample) => withRows(sample, 1),
};
