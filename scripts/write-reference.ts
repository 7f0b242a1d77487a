import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { REFERENCE_PAGES } from './reference-pages.ts';

for (const [name, page] of Object.entries(REFERENCE_PAGES)) {
  writeFileSync(resolve(import.meta.dirname, '../docs', name), await page());
}
