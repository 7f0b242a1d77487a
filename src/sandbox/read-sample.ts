import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PresetServer } from '../tools/model.ts';
import type { SandboxResponse } from './sandbox-response.ts';

/** The samples of the shipped presets. */
const SHIPPED = join(import.meta.dirname, 'samples');

/** Content types as real upstreams send them. */
const FORMATS = [
  { extension: 'json', contentType: 'application/json;charset=UTF-8' },
  { extension: 'xml', contentType: 'text/xml;charset=UTF-8' },
];

/**
 * What the upstream of a preset's tool responds with, from its sample file: `samples/<category>/<tool>.json` or `.xml` in
 * the directory of the presets, or else that of the shipped ones. Undefined without one.
 */
export function readSample(
  { category, filePath }: Pick<PresetServer, 'category' | 'filePath'>,
  toolName: string,
): SandboxResponse | undefined {
  for (const samples of [join(filePath, '../../samples'), SHIPPED]) {
    for (const { extension, contentType } of FORMATS) {
      const path = join(samples, category, `${toolName}.${extension}`);
      if (existsSync(path)) return { status: 200, contentType, body: readFileSync(path, 'utf8') };
    }
  }
  return undefined;
}
