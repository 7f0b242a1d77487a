import { describe, expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { exampleArguments } from '../../src/tools/request/example-arguments.ts';
import { openCallPipeline } from '../support/call-pipeline.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const tools = presets.flatMap(({ tools }) => tools);
const secrets = Object.fromEntries(
  tools.flatMap(({ secrets }) => secrets).map((name) => [name, 'an-invented-key']),
);
const withoutKey = tools.filter((tool) => tool.secrets.length === 0);

describe('a provider that is sent no key', () => {
  it.each(withoutKey.map((tool) => [tool.name, tool] as const))(
    'never refuses one: %s',
    async (name, tool) => {
      const gateway = await openCallPipeline('', { presets });
      for (const status of [401, 403]) {
        gateway.answer({ status, body: '<title>403 Forbidden</title>', contentType: 'text/html' });
        const refused = await gateway.call(name, exampleArguments(tool));
        expect(refused).toMatchObject({ kind: 'failed', cause: 'upstream' });
      }
    },
  );

  it('is told from one that is', async () => {
    expect(withoutKey.length).toBeGreaterThan(6);
    const gateway = await openCallPipeline('', { presets, secrets });
    gateway.answer({ status: 403, body: 'Forbidden', contentType: 'text/plain' });
    const stations = { orgId: '101', tblId: 'DT_1C8015', prdSe: 'M', newEstPrdCnt: 1 };
    const refused = await gateway.call('kosis_table_data', stations);
    expect(refused.cause).toBe('operator_key');
  });
});

describe('a page beyond the last', () => {
  const gdp = { country: 'KR', indicator: 'NY.GDP.MKTP.CD' };
  const hintFor = async (tool: string, args: Record<string, unknown>, body: unknown) => {
    const gateway = await openCallPipeline('', { presets, secrets });
    gateway.answer({ body });
    return (await gateway.call(tool, args)).count;
  };

  it('names the last page', async () => {
    const meta = { page: 9, pages: 3, per_page: 2, total: 5 };
    expect(
      await hintFor('worldbank_indicator', { ...gdp, page: 9, per_page: 2 }, [meta, null]),
    ).toMatchObject({
      returned: 0,
      total: 5,
      next: null,
      hint: 'page=9 is beyond the last page; page=3 gives the last rows.',
    });
  });

  it('names the last rows of a range', async () => {
    const args = { stat_code: '901Y009', cycle: 'M', start: 301, end: 400 };
    const body = { StatisticSearch: { list_total_count: 120, row: [] } };
    expect(await hintFor('ecos_statistic_search', args, body)).toMatchObject({
      next: null,
      hint: 'start=301 is beyond the last row, 120; start=21, end=120 gives the last rows.',
    });
  });

  it('leads to the first page where no total is known, and says nothing of a first page', async () => {
    const none = { numFound: 0, docs: [] };
    const second = await hintFor('openlibrary_book_search', { q: 'x', page: 2 }, none);
    expect(second?.hint).toBe('page=2 may be beyond the last row; page=1 gives the first rows.');
    const first = await hintFor('openlibrary_book_search', { q: 'x' }, none);
    expect(first).toEqual({ returned: 0, omitted: 0, total: 0, next: null });
  });
});
