import { expect, test } from 'vitest';
import { jsonResponse } from '../../sandbox/sandbox-response.ts';
import { normaliseSample } from '../../src/public-data/preset-samples.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const tool = presets.flatMap(({ tools }) => tools).find(({ name }) => name === 'kma_radar_images');

const urls = [1, 2, 3].map((n) => `http://www.kma.go.kr/img/RDR_CMP_WRC_20260928092${n}.png`);

test.each([
  ['one string', `[${urls.join(', ')}]`],
  ['an array', urls],
])('the radar pictures are rows, counted one by one, from %s', (_, list) => {
  if (!tool) throw new Error('There is no tool kma_radar_images.');
  const items = { item: [{ 'rdr-img-file': list }] };
  const body = { items, numOfRows: 10, pageNo: 1, totalCount: 1 };
  const sent = jsonResponse({ response: { header: { resultCode: '00' }, body } });
  const payload = normaliseSample(tool, sent);
  expect(payload).toMatchObject({ ok: true, rows: 3, total: 3 });
  expect(JSON.parse(String(payload?.json)).response.body.items.item).toEqual(
    urls.map((url) => ({ 'rdr-img-file': url })),
  );
});
