import { expect, it } from 'vitest';
import { newAuditId } from './ids.ts';

it('creates ids that sort in the order of their creation, also within a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, newAuditId);
  expect(ids.findIndex((id, at) => at > 0 && id <= String(ids[at - 1]))).toBe(-1);
  for (const id of ids) expect(id).toMatch(/^aud_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
});
