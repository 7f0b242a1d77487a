import type { Rendering, ResultStyle } from '../../../calls/model/render-result.ts';
import type { Caller } from '../../../platform/kernel/caller.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import type { RequestFacts } from '../../route.ts';

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

/** How results are rendered: at most `maxCharacters`, or fewer if the toolset of the address says so. */
export function renderingFor(
  query: RequestFacts['query'],
  caller: Pick<Caller, 'narrowing'>,
  maxCharacters: number,
): Rendering {
  const cap = caller.narrowing?.toolset?.maxCharacters ?? maxCharacters;
  return { style: resultStyleOf(query, caller), maxCharacters: Math.min(cap, maxCharacters) };
}
