import { expect, it } from 'vitest';
import { createLanes } from './lanes.ts';

it('A tenant has one lane, whose calls and failures are remembered', () => {
  const lanes = createLanes();
  lanes.of('a', 1).circuit.failures = 2;
  expect(lanes.of('a', 2)).toMatchObject({
    tenantId: 'a',
    lastUsedMs: 2,
    circuit: { failures: 2 },
  });
});

it('The idle lanes used least recently make room for new ones', () => {
  const lanes = createLanes(10);
  for (let i = 0; i < 10; i++) lanes.of(`tenant ${i}`, i);
  lanes.of('tenant 0', 100).inFlight = 1;
  lanes.of('tenant 1', 100);
  lanes.of('newcomer', 101);
  const names = lanes.all().map(({ tenantId }) => tenantId);
  expect(names).toHaveLength(10);
  expect(names).not.toContain('tenant 2');
});

it('A lane with a call under way is never forgotten', () => {
  const lanes = createLanes(3);
  for (let i = 0; i < 3; i++) lanes.of(`busy ${i}`, i).inFlight = 1;
  for (let i = 0; i < 50; i++) lanes.of(`idle ${i}`, 10 + i);
  expect(lanes.all().filter(({ inFlight }) => inFlight === 1)).toHaveLength(3);
  expect(lanes.all().length).toBeLessThanOrEqual(4);
});
