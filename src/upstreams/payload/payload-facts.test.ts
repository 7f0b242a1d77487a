import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../platform/kernel/json-document.ts';
import type { AsOfPlace, PayloadShape } from '../../tools/model.ts';
import { readAsOf } from './payload-facts.ts';

const read = (payload: unknown, place: Partial<AsOfPlace>, shape: Partial<PayloadShape> = {}) =>
  readAsOf(new JsonDocument(Buffer.from(JSON.stringify(payload))), {
    items: '/rows',
    total: null,
    success: null,
    itemWrapper: null,
    columns: null,
    asOf: { pointer: null, columns: [], offset: '+09:00', ...place },
    ...shape,
  });

describe('the time of the data in a payload', () => {
  it('is where a pointer says', () => {
    expect(read({ head: { tm: 202611220500 } }, { pointer: '/head/tm' })).toBe(
      '2026-11-22T05:00+09:00',
    );
    expect(read({ head: {} }, { pointer: '/head/tm' })).toBeUndefined();
    expect(read({ head: [1] }, { pointer: '/head' })).toBeUndefined();
  });

  it('is that of the latest row, put together from its columns', () => {
    const rows = [
      { day: '20261121', hour: '23' },
      { day: '20261122', hour: '05' },
      { day: '20261122', hour: '04' },
      'no row',
      {},
    ];
    expect(read({ rows }, { columns: ['day', 'hour'] })).toBe('2026-11-22T05:00+09:00');
    expect(read({ rows: [] }, { columns: ['day'] })).toBeUndefined();
    expect(read({ rows: {} }, { columns: ['day'] })).toBeUndefined();
    expect(
      read({ rows: [{ doc: { day: '2026' } }] }, { columns: ['day'] }, { itemWrapper: 'doc' }),
    ).toBe('2026');
  });

  it('skips rows whose time is none, such as totals', () => {
    expect(read({ rows: [{ month: '2026.10' }, { month: '총계' }] }, { columns: ['month'] })).toBe(
      '2026-10',
    );
  });

  it('is read from both ends of many rows', () => {
    const rows = Array.from({ length: 5000 }, (_, n) => ({ day: String(20_260_101 - (n % 2)) }));
    const middle = rows.with(2500, { day: '20261231' });
    expect(read({ rows: middle }, { columns: ['day'] })).toBe('2026-01-01');
    expect(read({ rows: rows.with(4500, { day: '20261231' }) }, { columns: ['day'] })).toBe(
      '2026-12-31',
    );
  });

  it('is unknown where no rule says it', () => {
    expect(read({ rows: [{ day: '20261122' }] }, {}, { asOf: null })).toBeUndefined();
  });
});
