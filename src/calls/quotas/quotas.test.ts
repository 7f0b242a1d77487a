import { expect, it } from 'vitest';
import { makeTool } from '../../../test/support/catalog-entries.ts';
import type { BucketReading } from './quota-reading.ts';
import { createQuotas } from './quotas.ts';

const NOW = 1000;
const READING: BucketReading = {
  ...{ nowMs: NOW, endsMs: NOW + 1, sent: 0, closedUntilMs: 0, tenants: [], members: 0 },
};
const bucketOf = (limit: number | null) => () => ({
  ...{ id: 'b', limit, zone: 'Asia/Seoul', key: undefined, dataset: 'd', serverId: 's' },
});

const leftOf = (limit: number | null, reading?: Partial<BucketReading>) => {
  const unused = (): never => {
    throw new Error('No request is reserved.');
  };
  const read = async () => new Map(reading ? [['b', { ...READING, ...reading }]] : []);
  const quotas = createQuotas({ requestsOf: unused }, { bucketOf: bucketOf(limit), read });
  return quotas.left({ tool: makeTool('sky'), serverId: 's', tenantId: 'one' }, {});
};

it('what a tenant may still send is its share and what it may borrow', async () => {
  expect(await leftOf(null)).toBeNull();
  // Alone, all but the reserve.
  expect(await leftOf(1000)).toBe(950);
  const used = { sent: 300, members: 1, tenants: [{ tenantId: 'one', sent: 300 }] };
  expect(await leftOf(1000, used)).toBe(650);
  // Of two, the other claims its half.
  const other = { sent: 100, members: 2, tenants: [{ tenantId: 'other', sent: 100 }] };
  expect(await leftOf(1000, other)).toBe(500);
  const greedy = { sent: 900, members: 2, tenants: [{ tenantId: 'other', sent: 900 }] };
  expect(await leftOf(1000, greedy)).toBe(100);
});

it('nothing is left while the provider refuses, and yesterday does not count', async () => {
  expect(await leftOf(1000, { closedUntilMs: NOW + 5 })).toBe(0);
  expect(await leftOf(1000, { endsMs: NOW - 1, sent: 990, members: 1 })).toBe(950);
});
