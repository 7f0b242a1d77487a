import { expect, test } from 'vitest';
import { COMPANY_KIND } from '../../src/codes/companies/company-file.ts';
import { CODE_KINDS } from '../../src/codes/kinds/kinds.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

test('every kind of codes that a preset names has a table', async () => {
  const { presets } = await loadPresets({
    domain: PUBLIC_DATA_TOOLS,
    dir: SHIPPED_PRESETS,
    lenient: false,
    logger: { error: () => undefined },
  });
  const tools = presets.flatMap((preset) => preset.tools);
  const named = tools.flatMap(({ parameters, description, inputSchema }) => [
    ...parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.codeKind ? [source.codeKind] : [],
    ),
    ...[
      ...`${description} ${JSON.stringify(inputSchema)}`.matchAll(/find_code.{1,8}kind (\w+)/g),
    ].map(([, kind]) => kind ?? ''),
  ]);
  expect(named.length).toBeGreaterThan(30);
  const known: readonly string[] = [...CODE_KINDS, COMPANY_KIND];
  expect(named.filter((kind) => !known.includes(kind))).toEqual([]);
});
