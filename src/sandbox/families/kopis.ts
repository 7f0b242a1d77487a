import { htmlResponse, type SandboxResponse, xmlResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

/** A refusal is a row in the usual envelope. */
const refused = (code: string, message: string): SandboxResponse =>
  xmlResponse(`<dbs>
  <db>
    <returncode>${code}</returncode>
    <errmsg>${message}</errmsg>
  </db>
</dbs>
`);

/** The XML with only the first performances, whose elements are `<db>` rather than `<item>`. */
const keepPerformances = (sample: SandboxResponse, keep: number): SandboxResponse => {
  let seen = 0;
  const body = sample.body.replace(/\s*<db>[\s\S]*?<\/db>/g, (row) => (seen++ < keep ? row : ''));
  return { ...sample, body };
};

/** Performing arts: XML only; bursts of requests are refused with an HTML page. */
export const kopis: UpstreamFamily = {
  addresses: ['https://kopis.or.kr/'],
  refuse(refusal) {
    if (typeof refusal === 'object') return refused('01', `${refusal.missing} IS REQUIRED.`);
    if (refusal === 'quota') return htmlResponse('The request was blocked', 400);
    if (refusal === 'unknown_path') return htmlResponse('Not Found', 404);
    return refused('02', 'SERVICE KEY IS NOT REGISTERED ERROR.');
  },
  empty: (sample) => keepPerformances(sample, 0),
  single: (sample) => keepPerformances(sample, 1),
};
