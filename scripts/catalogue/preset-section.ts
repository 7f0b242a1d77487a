import { readFile } from 'node:fs/promises';
import { isObject, own, ownText } from '../../src/platform/kernel/plain-json.ts';
import { readSample } from '../../src/public-data/preset-samples.ts';
import { parseDocument } from '../../src/tools/document/parse-document.ts';
import type { PresetServer, QuotaScope, Tool } from '../../src/tools/model.ts';
import { plain } from './markdown.ts';
import { toolSection } from './tool-section.ts';

/** One preset server: its data, address, key and tools. */
export async function presetSection(preset: PresetServer): Promise<string> {
  const { root } = await parseDocument(await readFile(preset.filePath, 'utf8'), preset.filePath);
  const documentation = textOf(own(root, 'externalDocs'), 'url');
  const unconfirmed = textOf(root, 'x-unconfirmed');
  return [
    `### ${preset.title}`,
    plain(textOf(own(root, 'info'), 'description')),
    [
      `- Preset: \`${preset.id}\``,
      `- Base address: \`${preset.baseUrl}\``,
      `- Key: ${keysOf(preset)}`,
      `- Quota: ${quotasOf(preset)}`,
      ...(documentation ? [`- Documentation: <${documentation}>`] : []),
      ...(unconfirmed ? [`- Not confirmed by the latest sources: ${plain(unconfirmed)}`] : []),
    ].join('\n'),
    ...preset.tools.map((tool) =>
      toolSection(tool, readSample(preset, tool.name), confidenceOf(operationOf(root, tool))),
    ),
  ].join('\n\n');
}

const operationOf = (root: unknown, { path, method }: Tool): unknown =>
  [path, method.toLowerCase()].reduce<unknown>(
    (value, name) => (isObject(value) ? own(value, name) : undefined),
    isObject(root) ? own(root, 'paths') : undefined,
  );

/** The confidence in the definition: `x-confidence`. */
const confidenceOf = (operation: unknown): string => textOf(operation, 'x-confidence');

const textOf = (value: unknown, name: string): string =>
  (isObject(value) ? ownText(value, name) : undefined) ?? '';

function keysOf({ tools }: PresetServer): string {
  const keys = tools.flatMap(({ parameters }) =>
    parameters.flatMap(({ source }) =>
      source.kind === 'secret'
        ? [`\`${source.secret}\`${source.description ? `. ${plain(source.description)}` : ''}`]
        : [],
    ),
  );
  return [...new Set(keys)].join(' ') || 'none needed';
}

const COUNTED: Readonly<Record<QuotaScope, string>> = {
  operation: 'for each key and operation',
  dataset: 'for each key and dataset',
  key: 'for each key',
  address: 'from one address',
};

function quotasOf({ tools }: PresetServer): string {
  const quotas = tools.map(({ quota }) =>
    quota
      ? `${quota.calls.toLocaleString('en')} requests a day ${COUNTED[quota.scope]}, renewed at midnight (${quota.zone})`
      : 'not published',
  );
  return [...new Set(quotas)].join('; ');
}
