import type { Located } from '../../platform/kernel/json-pointer.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { HttpMethod, ParameterBinding, PayloadShape } from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { extensionOf, readExtension } from './extensions.ts';

/** Seconds for which a successful response to a GET may be reused, unless the document sets another value. */
const DEFAULT_CACHE_TTL_SECONDS = 60;

/** How long a successful response may be reused. Operations that change data are never cached. */
export function compileCacheTtl(
  { value, pointer }: Located<JsonObject>,
  method: HttpMethod,
  isReadOnly: boolean,
  context: CompileContext,
): number {
  if (!isReadOnly) {
    if (Number(readExtension('x-cache-ttl', value, context)) > 0) {
      const message =
        'Operations that change data are never cached. Remove x-cache-ttl, or set x-read-only: true.';
      context.report(`${pointer}/x-cache-ttl`, message);
    }
    return 0;
  }
  const ttlSeconds = extensionOf('x-cache-ttl', value, context);
  if (typeof ttlSeconds === 'number') return ttlSeconds;
  return method === 'GET' ? DEFAULT_CACHE_TTL_SECONDS : 0;
}

/** How many earlier publications may be requested. */
export function compileStepBack(
  { value, pointer }: Located<JsonObject>,
  parameters: readonly ParameterBinding[],
  { items }: PayloadShape,
  context: CompileContext,
): number {
  const steps = readExtension('x-step-back', value, context);
  if (typeof steps !== 'number') return 0;
  const place = `${pointer}/x-step-back`;
  if (items === null) {
    context.report(place, 'x-step-back needs x-items: it applies to responses without rows.');
  }
  if (parameters.some(({ source }) => source.kind === 'argument' && source.computedDefault)) {
    return steps;
  }
  context.report(place, 'x-step-back has no effect: no parameter has an x-default.');
  return 0;
}

/** The arguments that are personal data. */
export function compilePersonal(
  { value, pointer }: Located<JsonObject>,
  { properties }: InputDraft,
  ttlSeconds: number,
  context: CompileContext,
): string[] {
  const personal = readExtension('x-personal', value, context);
  if (!Array.isArray(personal)) return [];
  const place = `${pointer}/x-personal`;
  const names = personal.map(String).filter((name) => {
    if (properties.has(name)) return true;
    const known = [...properties.keys()].join(', ') || 'none';
    context.report(
      place,
      `x-personal: "${name}" is not an argument of this tool. Known: ${known}.`,
    );
    return false;
  });
  if (ttlSeconds > 0) {
    context.report(
      place,
      'x-personal needs x-cache-ttl: 0, because personal data must not be cached.',
    );
  }
  return names;
}
