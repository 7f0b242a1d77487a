import type { Entry } from '../corpus-request.ts';
import { ACCEPTS_EVENTS, call, keyedAsks, posts, rpc } from './build.ts';

const nowcast = call('kma_ultra_short_nowcast', { nx: 60, ny: 127 });

/** A gateway whose operator has set no credentials. */
export const WITHOUT_SECRETS: readonly Entry[] = [
  ...posts([
    ['tools/list', rpc('tools/list')],
    ['tools/list of one', rpc('tools/list'), {}, '/mcp?tools=kma_forecast_version'],
    ['a call that needs one', nowcast],
    ['a call that needs one, Streamable HTTP', nowcast, ACCEPTS_EVENTS],
    ['a call that needs another', call('ecos_key_statistics')],
    ['a call that needs none', call('frankfurter_rates', { base: 'USD' })],
  ]),
  ...keyedAsks([
    ['the record', 'GET /api/v1/audit/{{auditId}}'],
    ['the tool', 'GET /api/v1/tools/kma_forecast_version'],
  ]),
];
