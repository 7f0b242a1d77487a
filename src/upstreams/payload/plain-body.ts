import { isUtf8 } from 'node:buffer';
import type { Redactor } from '../redaction/redact-secrets.ts';
import type { ToUtf8 } from './charset.ts';

const TEXT_TYPE = /^\s*text\/|charset=|[/+](json|xml|csv|javascript|x-www-form-urlencoded)\b/i;

function isText(body: Buffer, contentType: string): boolean {
  return contentType === '' ? isUtf8(body) && !body.includes(0) : TEXT_TYPE.test(contentType);
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A body that is neither JSON nor XML, as JSON: `{text}`, or `{contentType, bytes, base64}` for binary ones. */
export function wrapBody(body: Buffer, contentType: string, toUtf8: ToUtf8): Buffer {
  return isText(body, contentType)
    ? json({ text: toUtf8(body, contentType).toString().trim() })
    : json({ contentType, bytes: body.length, base64: body.toString('base64') });
}

// An error page states its error early. Reading no further also bounds the work of the expressions below.
const READ_CHARACTERS = 8192;
const SHOWN_CHARACTERS = 2000;

/** The text of an error page as `{text}`, without secrets and tags, cut to a readable length. Binary bodies as above. */
export function wrapErrorBody(
  body: Buffer,
  contentType: string,
  toUtf8: ToUtf8,
  redactor: Redactor,
): Buffer {
  if (!isText(body, contentType)) return wrapBody(body, contentType, toUtf8);
  // Redacted before it is cut: half a secret would not be found.
  const text = redactor
    .text(toUtf8(body, contentType))
    .toString()
    .slice(0, READ_CHARACTERS)
    .replace(/<!--.*?-->|<(script|style)\b.*?<\/\1\s*>|<[^<>]*>/gis, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return json({ text: text.slice(0, SHOWN_CHARACTERS) });
}
