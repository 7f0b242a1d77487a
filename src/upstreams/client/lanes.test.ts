import { expect, it } from 'vitest';
import { createLanes } from './bulkhead.ts';

it('A tenant has one lane, which records its calls and failures', () => {
  const lanes = createLanes();
  lanes.of('a', 1).circuit.failures = 2;
  expect(lanes.of('a', 2)).toMatchObject({
    tenantId: 'a',
    lastUsedMs: 2,
    circuit: { failures: 2 },
  });
});

it('At 1000 lanes, the 100 idle lanes used least recently are removed', () => {
  const lanes = createLanes();
  for (let i = 0; i < 1000; i++) lanes.of(`tenant ${i}`, i);
  lanes.of('tenant 0', 2000).inFlight = 1;
  lanes.of('tenant 1', 2000);
  expect(lanes.all()).toHaveLength(1000);
  lanes.of('newcomer', 2001);
  const names = lanes.all().map(({ tenantId }) => tenantId);
  expect(names).toHaveLength(901);
  expect(names).toEqual(expect.arrayContaining(['tenant 0', 'tenant 1', 'tenant 102', 'newcomer']));
  expect(names).not.toContain('tenant 2');
  expect(names).not.toContain('tenant 101');
});

it('A lane with a call in flight is never removed', () => {
  const lanes = createLanes();
  for (let i = 0; i < 1000; i++) lanes.of(`busy ${i}`, i).inFlight = 1;
  for (let i = 0; i < 50; i++) lanes.of(`idle ${i}`, 1000 + i);
  expect(lanes.all().filter(({ inFlight }) => inFlight === 1)).toHaveLength(1000);
  expect(lanes.all().length).toBeLessThanOrEqual(1001);
});
