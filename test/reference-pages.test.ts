import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { REFERENCE_PAGES } from '../scripts/reference-pages.ts';

test.each(Object.entries(REFERENCE_PAGES))(
  'docs/%s agrees with the source (npm run docs rewrites it)',
  async (name, page) => {
    const written = readFileSync(resolve(import.meta.dirname, '../docs', name), 'utf8');
    expect(written).toBe(await page());
  },
);
