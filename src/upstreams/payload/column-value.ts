import type { JsonDocument, Place } from './json-document.ts';

/**
 * The JSON text of a column's value, as the upstream wrote it. With `member` (`x-members`), an object stands for that
 * member, and a list for those of its elements, with commas between. `''` stands for a missing member.
 */
export function columnValue(
  document: JsonDocument,
  value: Place,
  member: string | undefined,
): string {
  if (member === undefined) return jsonAt(document, value);
  if (document.kind(value) !== 'array') return memberAt(document, value, member);
  const texts = document
    .children(value)
    .map((element) => memberAt(document, element, member))
    .filter((json) => json !== '' && json !== 'null')
    .map((json) => (json.startsWith('"') ? String(JSON.parse(json)) : json));
  return JSON.stringify(texts.join(', '));
}

function memberAt(document: JsonDocument, value: Place, member: string): string {
  if (document.kind(value) !== 'object') return jsonAt(document, value);
  const inner = document.child(value, member);
  return inner === undefined ? '' : jsonAt(document, inner);
}

const jsonAt = (document: JsonDocument, value: Place): string =>
  document.json.toString('utf8', document.start(value), document.end(value));
