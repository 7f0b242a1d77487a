import { expect, it } from 'vitest';
import { createExportSlots } from './export-slots.ts';

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('a');
  yield Buffer.from('b');
}

it('lets each tenant run two exports at once, until their iteration ends', async () => {
  const slots = createExportSlots();
  const [left, read] = [slots.run('ten_a', chunks()), slots.run('ten_a', chunks())];
  const third = () => slots.run('ten_a', chunks());
  expect(third).toThrow(/2 of these exports are running/);
  slots.run('ten_b', chunks());
  for await (const chunk of left) {
    expect(String(chunk)).toBe('a');
    break;
  }
  third();
  expect(third).toThrow();
  expect(String(Buffer.concat(await Array.fromAsync(read)))).toBe('ab');
  third();
  expect(third).toThrow();
});
