import { GatewayError } from '../platform/kernel/error.ts';
import { PUBLIC_DATA_PAYLOADS } from '../public-data/payload-domain.ts';
import type { Tool } from '../tools/model.ts';
import type { NormalisedPayload } from '../upstreams/payload/normalise-payload.ts';
import { createPayloadReader } from '../upstreams/payload/read-payload.ts';
import type { SandboxResponse } from './sandbox-response.ts';

const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

/** A sample as the gateway normalises the response of an upstream; undefined if its body cannot be read. */
export function normaliseSample(
  tool: Tool,
  sample: SandboxResponse,
): NormalisedPayload | undefined {
  try {
    return readPayload({
      status: sample.status,
      contentType: sample.contentType,
      body: Buffer.from(sample.body),
      shape: tool.payload,
      isPublicData: tool.isPublicData,
    });
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
