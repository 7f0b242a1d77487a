import { expect, it } from 'vitest';
import { createExportSlots } from './export-slots.ts';

it('lets each tenant run two exports at once', () => {
  const slots = createExportSlots();
  const end = slots.take('ten_a');
  slots.take('ten_a');
  expect(() => slots.take('ten_a')).toThrow(/2 exports of this tenant are running/);
  slots.take('ten_b');
  end();
  end();
  slots.take('ten_a');
  expect(() => slots.take('ten_a')).toThrow();
});
