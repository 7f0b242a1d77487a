import { JsonDocument, ROOT } from './json-document.ts';

const HEAD = Buffer.from('{"response":');
const TAIL = Buffer.from('}');

/**
 * Public-data services answer with `header` and `body` at the top or within `response`, and some have changed from
 * one to the other. The document is given the form that the preset's pointers expect; `first` is their first name.
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
