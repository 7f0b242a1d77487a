import { htmlResponse, jsonResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';

/** Refuses with status 200 and an array of one element; the rows of an empty response are null. */
export const worldBank: UpstreamFamily = {
  addresses: ['https://api.worldbank.org/'],
  refuse(refusal) {
    if (refusal === 'quota') return htmlResponse('Too Many Requests', 429);
    const value = 'The provided parameter value is not valid';
    return jsonResponse([{ message: [{ id: '120', key: 'Invalid value', value }] }]);
  },
  empty: () => jsonResponse([{ page: 0, pages: 0, per_page: 50, total: 0 }, null]),
  single(sample) {
    const [paging, rows] = JSON.parse(sample.body);
    return jsonResponse([{ ...paging, total: 1 }, [rows[0]]]);
  },
};
