import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../platform/kernel/error.ts';
import { PACKAGE_ROOT } from '../platform/kernel/shipped-files.ts';
import type { PresetServer, Tool } from '../tools/model.ts';
import { createPayloadReader } from '../upstreams/payload/read-payload.ts';
import type { NormalisedPayload } from '../upstreams/payload/upstream-response.ts';
import { PUBLIC_DATA_PAYLOADS } from './payload-domain.ts';

/** A complete response of an upstream. */
export interface PresetSample {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The samples of the shipped presets. */
const SHIPPED = join(PACKAGE_ROOT, 'sandbox/samples');

/** Content types as real upstreams send them. */
const FORMATS = [
  { extension: 'json', contentType: 'application/json;charset=UTF-8' },
  { extension: 'xml', contentType: 'text/xml;charset=UTF-8' },
];

/**
 * What the upstream of a preset's tool responds with, from its sample file: `samples/<category>/<tool>.json` or `.xml` in
 * the directory of the presets, or else the directory of the shipped presets. Undefined without one.
 */
export function readSample(
  { category, filePath }: Pick<PresetServer, 'category' | 'filePath'>,
  toolName: string,
): PresetSample | undefined {
  for (const samples of [join(filePath, '../../samples'), SHIPPED]) {
    for (const { extension, contentType } of FORMATS) {
      const path = join(samples, category, `${toolName}.${extension}`);
      if (existsSync(path)) return { status: 200, contentType, body: readFileSync(path, 'utf8') };
    }
  }
  return undefined;
}

const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

/** A sample as the gateway normalises the response of an upstream; undefined if its body cannot be read. */
export function normaliseSample(
  { payload: shape, isPublicData }: Tool,
  { status, contentType, body }: PresetSample,
): NormalisedPayload | undefined {
  try {
    return readPayload({ status, contentType, body: Buffer.from(body), shape, isPublicData });
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
