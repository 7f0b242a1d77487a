import type { Rendering, ResultStyle } from '../../../calls/model/render-result.ts';
import type { Caller } from '../../../platform/kernel/caller.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import type { RequestFacts } from '../../route.ts';
import type { SchemaForm } from './encode.ts';

/** How an address asks for results: by `?result=`, else by its toolset. Throws `invalid_request` for another value. */
export function resultStyleOf(
  { result }: RequestFacts['query'],
  { narrowing }: Pick<Caller, 'narrowing'>,
): ResultStyle {
  if (result === undefined) return narrowing?.toolset?.style ?? 'full';
  if (result === 'text' || result === 'structured') return result;
  const given = JSON.stringify(String(result).slice(0, 50));
  throw new GatewayError('invalid_request', `Unknown result ${given}. Choose text or structured.`);
}

/** The form of schemas that an address asks for (`?schema=`). Throws `invalid_request` for another value. */
export function schemaFormOf({ schema }: RequestFacts['query']): SchemaForm {
  if (schema === undefined) return 'plain';
  if (schema === 'wide') return schema;
  const given = JSON.stringify(String(schema).slice(0, 50));
  throw new GatewayError(
    'invalid_request',
    `Unknown schema ${given}. Choose wide, or leave it out.`,
  );
}

/** How results are rendered: at most `maxCharacters`, or fewer if the toolset of the address says so. */
export function renderingFor(
  query: RequestFacts['query'],
  caller: Pick<Caller, 'narrowing'>,
  maxCharacters: number,
): Rendering {
  const cap = caller.narrowing?.toolset?.maxCharacters ?? maxCharacters;
  return { style: resultStyleOf(query, caller), maxCharacters: Math.min(cap, maxCharacters) };
}
