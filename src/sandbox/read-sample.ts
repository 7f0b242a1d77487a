import { existsSync, readFileSync } from 'node:fs';
import type { SandboxResponse } from './sandbox-response.ts';

const SAMPLES = new URL('./samples/', import.meta.url);

/** Content types as real upstreams send them. */
const FORMATS = [
  { extension: 'json', contentType: 'application/json;charset=UTF-8' },
  { extension: 'xml', contentType: 'text/xml;charset=UTF-8' },
];

/** What the upstream of a preset's tool responds with, from its sample file; undefined without one. */
export function readSample(category: string, toolName: string): SandboxResponse | undefined {
  for (const { extension, contentType } of FORMATS) {
    const file = new URL(`${category}/${toolName}.${extension}`, SAMPLES);
    if (existsSync(file)) return { status: 200, contentType, body: readFileSync(file, 'utf8') };
  }
  return undefined;
}
