import { JsonDocument, ROOT } from '../upstreams/payload/json-document.ts';

const HEAD = Buffer.from('{"response":');
const TAIL = Buffer.from('}');

/**
 * Adapts a document to the envelope that the preset's pointers expect; `first` is the first member in these pointers.
 * Public-data services put `header` and `body` at the top level or inside `response`, and some have switched from one
 * form to the other.
 */
export function alignEnvelope(document: JsonDocument, first: string | undefined): JsonDocument {
  if (first !== 'response' && first !== 'header' && first !== 'body') return document;
  const { json } = document;
  const inner = document.child(ROOT, 'response');
  if (first !== 'response') {
    return inner !== undefined && document.kind(inner) === 'object'
      ? new JsonDocument(json.subarray(document.start(inner), document.end(inner)))
      : document;
  }
  const header = inner === undefined ? document.child(ROOT, 'header') : undefined;
  return header !== undefined && document.kind(header) === 'object'
    ? new JsonDocument(Buffer.concat([HEAD, json, TAIL]))
    : document;
}
