import { jsonResponse } from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const refusalOf = (refusal: Refusal): [status: number, reason: string] => {
  if (typeof refusal === 'object')
    return [400, `Parameter '${refusal.missing}' must be specified.`];
  if (refusal === 'quota') return [429, 'Too many calls today. Please come back tomorrow.'];
  if (refusal === 'unknown_path') return [404, 'Not Found'];
  return [403, 'Access denied.'];
};

/** One object of parallel arrays rather than rows, so it has no empty and no single form. */
export const openMeteo: UpstreamFamily = {
  addresses: ['https://api.open-meteo.com', 'https://air-quality-api.open-meteo.com'],
  refuse(refusal) {
    const [status, reason] = refusalOf(refusal);
    return jsonResponse({ error: true, reason }, status);
  },
  empty: (sample) => sample,
  single: (sample) => sample,
};
