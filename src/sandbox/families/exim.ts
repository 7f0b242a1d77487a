import { htmlResponse, jsonResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const resultOf = (refusal: Exclude<Refusal, 'unknown_path'>): number => {
  if (typeof refusal === 'object') return 2;
  return refusal === 'quota' ? 4 : 3;
};

/** The export-import bank: a refusal is a row with only a result; days without rates have no rows. */
export const exim: UpstreamFamily = {
  addresses: ['https://oapi.koreaexim.go.kr/'],
  refuse: (refusal) =>
    refusal === 'unknown_path'
      ? htmlResponse('Not Found', 404)
      : jsonResponse([
          { result: resultOf(refusal), cur_unit: null, cur_nm: null, deal_bas_r: null },
        ]),
  empty: () => jsonResponse([]),
  single: (sample) => jsonResponse(JSON.parse(sample.body).slice(0, 1)),
};
