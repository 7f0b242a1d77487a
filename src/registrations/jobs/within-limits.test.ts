import { expect, it } from 'vitest';
import { Deadline } from '../../platform/kernel/time.ts';
import { withinLimits } from './within-limits.ts';

it('ends a step at its deadline, even if the step never ends', async () => {
  const { signal } = new AbortController();
  const limits = { deadline: Deadline.in(20), signal, tenantId: 'ten_1' };
  await expect(withinLimits(limits, () => new Promise(() => undefined))).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('60 seconds'),
  });
});
