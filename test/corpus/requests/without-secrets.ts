import { ACCEPTS_EVENTS, rpc, toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { keyedAsks, posts } from './build.ts';

const nowcast = toolCall('kma_ultra_short_nowcast', { nx: 60, ny: 127 });

/** A gateway without upstream credentials. */
export const WITHOUT_SECRETS: readonly Entry[] = [
  ...posts([
    ['tools/list', rpc('tools/list')],
    ['tools/list of one', rpc('tools/list'), {}, '/mcp?tools=kma_forecast_version'],
    ['a call that needs one', nowcast],
    ['a call that needs one, Streamable HTTP', nowcast, ACCEPTS_EVENTS],
    ['a call that needs another', toolCall('ecos_key_statistics')],
    ['a call that needs none', toolCall('frankfurter_rates', { base: 'USD' })],
  ]),
  ...keyedAsks([
    ['the record', 'GET /api/v1/audit/{{auditId}}'],
    ['the tool', 'GET /api/v1/tools/kma_forecast_version'],
  ]),
];
