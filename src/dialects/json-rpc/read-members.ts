import { overBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { DescriptionCompiler } from '../../registrations/steps/description-compiler.ts';
import type { RouteRequest } from '../route.ts';
import { readJson, reserveForParsing } from './read-json.ts';

/** Largest body that is parsed on the event loop. It takes about 2 ms. */
export const MAX_PARSED_BYTES = 256 * 1024;

export interface BodyMembers {
  /** Whatever the JSON is. Without `spec_raw` if `document` is not null. */
  readonly members: unknown;
  /** `spec_raw` of a large body, in UTF-8. */
  readonly document: Uint8Array | null;
}

/** Reads a JSON body. A large one is read on a thread, which returns the description as bytes. */
export async function readMembers(
  request: RouteRequest,
  split: DescriptionCompiler['split'],
): Promise<BodyMembers> {
  const { body, memory, caller, params } = request;
  if (!body?.length) {
    throw new GatewayError(
      'invalid_request',
      'The request has no body. Send a JSON object, with Content-Type: application/json.',
    );
  }
  if (body.length > MAX_PARSED_BYTES) {
    const { members, document } = await split(body, caller?.tenantId ?? params['tenant'] ?? '');
    if (document && !memory().take(document.byteLength)) throw overBudget();
    return { members, document };
  }
  reserveForParsing(request);
  return { members: readJson(body), document: null };
}
