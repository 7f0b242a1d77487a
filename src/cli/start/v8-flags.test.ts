import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage, setV8Flags } from './v8-flags.ts';

it.each(['regular', 'last-resort'] as const)(
  'collects garbage in a process that was started without a flag (%s)',
  async (flavor) => {
    setV8Flags();
    const garbage = new WeakRef({ value: 'unused' });
    await nextTurn();
    collectGarbage(flavor);
    expect(garbage.deref()).toBeUndefined();
  },
);
