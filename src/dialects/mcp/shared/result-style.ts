import type { ResultStyle } from '../../../calls/model/render-result.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import type { RequestFacts } from '../../route.ts';

const STYLES = new Map<unknown, ResultStyle>([
  [undefined, 'full'],
  ['text', 'text'],
  ['structured', 'structured'],
]);

/** How `?result=` of an address asks for results. Throws `invalid_request` for another value. */
export function resultStyleOf({ result }: RequestFacts['query']): ResultStyle {
  const style = STYLES.get(result);
  if (style) return style;
  const given = JSON.stringify(String(result).slice(0, 50));
  throw new GatewayError('invalid_request', `Unknown result ${given}. Choose text or structured.`);
}
