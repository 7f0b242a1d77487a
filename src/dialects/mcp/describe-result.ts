import {
  BOOLEAN,
  component,
  FREE_OBJECT,
  FREE_OBJECT_OR_NULL,
  INTEGER,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from '../json-rpc/component.ts';

const ROWS_SCHEMA = component(
  'Rows',
  {
    returned: INTEGER,
    omitted: { ...INTEGER, description: 'Rows that `_limit` leaves out.' },
    total: { type: ['integer', 'null'], description: 'Rows in all.' },
    next: {
      ...FREE_OBJECT_OR_NULL,
      description: 'The arguments to change.',
    },
    hint: { ...TEXT, description: 'The same in words.' },
  },
  ['hint'],
);

const PROVENANCE_SCHEMA = component(
  'Provenance',
  {
    publisher: TEXT_OR_NULL,
    dataset: TEXT,
    docUrl: TEXT_OR_NULL,
    licence: TEXT,
    licenceUrl: TEXT_OR_NULL,
    attribution: TEXT_OR_NULL,
    fetchedAt: TIME,
    ageSeconds: INTEGER,
    asOf: { ...TEXT_OR_NULL, description: 'The time to which the data refer.' },
    asked: { ...FREE_OBJECT, description: 'The arguments that were sent, with defaults.' },
    steppedBack: {
      type: ['integer', 'null'],
      description: 'How many publications the data lie before the latest, which has none yet.',
    },
    nextPublication: TEXT_OR_NULL,
    sample: { ...BOOLEAN, description: 'Whether the sandbox made the data up.' },
  },
  ['sample'],
);

/** The result of `tools/call` (docs/contract.md#call-result). */
export const RESULT_SCHEMA = component(
  'CallResult',
  {
    tool: TEXT,
    outcome: { enum: ['ok', 'no_data', 'failed'] },
    cause: { ...TEXT_OR_NULL, description: 'Why there are no data.' },
    rows: ROWS_SCHEMA,
    provenance: PROVENANCE_SCHEMA,
    upstream: {
      type: ['object', 'null'],
      description: 'Null for tools of the gateway itself.',
      required: ['method', 'url', 'status'],
      properties: { method: TEXT, url: TEXT, status: INTEGER },
    },
    data: { description: 'The upstream response, normalised to JSON.' },
    publicData: component('PublicData', { code: TEXT, message: TEXT, hint: TEXT }, ['hint']),
    cacheStatus: { enum: ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] },
    auditId: TEXT_OR_NULL,
  },
  ['rows', 'provenance', 'publicData'],
);

export const RESULT_EXAMPLE = {
  tool: 'frankfurter_rates',
  outcome: 'ok',
  cause: null,
  rows: { returned: 1, omitted: 0, total: null, next: null },
  provenance: {
    publisher: 'Frankfurter',
    dataset: 'World exchange rates (Frankfurter)',
    docUrl: 'https://frankfurter.dev/',
    licence: 'unknown',
    licenceUrl: null,
    attribution: 'Frankfurter',
    fetchedAt: '2026-11-23T01:30:00.000Z',
    ageSeconds: 0,
    asOf: '2026-11-20',
    asked: { base: 'USD', quotes: 'KRW' },
    steppedBack: null,
    nextPublication: null,
  },
  upstream: {
    method: 'GET',
    url: 'https://api.frankfurter.dev/v2/rates?base=USD&quotes=KRW',
    status: 200,
  },
  data: [{ date: '2026-11-20', base: 'USD', quote: 'KRW', rate: 1366.1 }],
  cacheStatus: 'MISS',
  auditId: 'aud_01M830R4BSZEYAQS41TG9WQCWK',
};
