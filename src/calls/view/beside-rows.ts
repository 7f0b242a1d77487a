import type { JsonDocument, Place } from '../../platform/kernel/json-document.ts';
import type { Path } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { isBeside, plainName } from '../../tools/rows/row-names.ts';

/** Characters beside the rows that are read; a response with more is best asked for as JSON. */
const MAX_READ = 4000;
/** Characters of them that are shown. */
const MAX_SHOWN = 1000;

/** What a response says beside its rows, as JSON without what describes the page; undefined if nothing, or too much. */
export function besideRows(document: JsonDocument, list: Place, path: Path): string | undefined {
  const { json } = document;
  const [start, end] = [document.start(list), document.end(list)];
  if (path.length === 0 || json.length - (end - start) > MAX_READ) return undefined;
  const whole = Buffer.concat([json.subarray(0, start), Buffer.from('[]'), json.subarray(end)]);
  const rest = withoutPage(JSON.parse(whole.toString()), path);
  if (rest === undefined) return undefined;
  const text = JSON.stringify(rest);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function withoutPage(value: unknown, [name, ...inner]: Path): object | undefined {
  if (!isObject(value) || name === undefined) return undefined;
  const members = Object.entries(value).flatMap(([key, member]) => {
    const kept =
      key === name ? withoutPage(member, inner) : isBeside(plainName(key)) ? undefined : member;
    return kept === undefined || kept === null ? [] : [[key, kept]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
