import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage, setV8Flags } from './v8-flags.ts';

it('collects garbage in a process that was started without a flag', async () => {
  setV8Flags();
  const garbage = new WeakRef({ value: 'unused' });
  await nextTurn();
  collectGarbage();
  expect(garbage.deref()).toBeUndefined();
});
