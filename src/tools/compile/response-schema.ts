import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { ReferenceResolver } from '../document/resolve-reference.ts';

/** The schema of an operation's successful response, in its first media type; undefined if it has none. */
export function responseSchema(
  { value, pointer }: Located<JsonObject>,
  references: ReferenceResolver,
): unknown {
  const responses = own(value, 'responses');
  const success = isObject(responses) ? own(responses, '200') : undefined;
  if (success === undefined) return undefined;
  const place = { value: success, pointer: pointerTo(`${pointer}/responses`, '200') };
  const response = references.followToObject(place);
  const content = response ? own(response.value, 'content') : undefined;
  const [media] = isObject(content) ? Object.values(content) : [];
  return isObject(media) ? own(media, 'schema') : undefined;
}
