import type { HttpMethod, ParameterBinding, PayloadShape } from '../model.ts';
import { type JsonObject, type Located, own } from '../plain-json.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { extensionOf } from './extensions.ts';

/** Seconds that a good answer to a GET may be served again, unless the document says otherwise. */
const DEFAULT_CACHE_TTL_SECONDS = 60;

/** How long a good answer may be served again; what changes something is never cached. */
export function compileCacheTtl(
  { value, pointer }: Located<JsonObject>,
  method: HttpMethod,
  isReadOnly: boolean,
  context: CompileContext,
): number {
  if (!isReadOnly) {
    if (Number(own(value, 'x-cache-ttl')) > 0) {
      context.complain(`${pointer}/x-cache-ttl`, 'What changes something is never cached.');
    }
    return 0;
  }
  const said = extensionOf('x-cache-ttl', value, context.root);
  if (typeof said === 'number') return said;
  return method === 'GET' ? DEFAULT_CACHE_TTL_SECONDS : 0;
}

/** How many earlier publications may be asked for. */
export function compileStepBack(
  { value, pointer }: Located<JsonObject>,
  parameters: readonly ParameterBinding[],
  { items }: PayloadShape,
  context: CompileContext,
): number {
  const steps = own(value, 'x-step-back');
  if (typeof steps !== 'number') return 0;
  const place = `${pointer}/x-step-back`;
  if (items === null)
    context.complain(place, 'x-step-back needs x-items: it is taken without rows.');
  if (parameters.some(({ source }) => source.kind === 'argument' && source.computedDefault)) {
    return steps;
  }
  context.complain(place, 'x-step-back has no effect: no parameter has an x-default.');
  return 0;
}

/** The arguments that are personal data. */
export function compilePersonal(
  { value, pointer }: Located<JsonObject>,
  { properties }: InputDraft,
  ttlSeconds: number,
  context: CompileContext,
): string[] {
  const said = own(value, 'x-personal');
  if (!Array.isArray(said)) return [];
  const place = `${pointer}/x-personal`;
  const names = said.map(String).filter((name) => {
    if (properties.has(name)) return true;
    context.complain(place, `x-personal: there is no argument "${name}".`);
    return false;
  });
  if (ttlSeconds > 0) {
    context.complain(place, 'Personal data is never cached: x-personal needs x-cache-ttl: 0.');
  }
  return names;
}
