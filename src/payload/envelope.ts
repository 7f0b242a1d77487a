import { childOf, isObject } from './json-pointer.ts';
import { spanAt } from './json-span.ts';
import type { JsonDocument } from './rows.ts';

const HEAD = Buffer.from('{"response":');
const TAIL = Buffer.from('}');

/**
 * Public-data services answer with `header` and `body` at the top or within `response`, and some have changed from
 * one to the other. The document is given the form that the preset's pointers expect; `first` is their first name.
 */
export function alignEnvelope(document: JsonDocument, first: string | undefined): JsonDocument {
  const { json, value } = document;
  const inner = childOf(value, 'response');
  if ((first === 'header' || first === 'body') && isObject(inner)) {
    const { start, end } = spanAt(json, ['response']);
    return { json: json.subarray(start, end), value: inner };
  }
  const isBare = isObject(childOf(value, 'header')) && inner === undefined;
  return first === 'response' && isBare
    ? { json: Buffer.concat([HEAD, json, TAIL]), value: { response: value } }
    : document;
}
