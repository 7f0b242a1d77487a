import { GatewayError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';

/** JSON of all members besides the description: they are read on the event loop. */
const MAX_MEMBERS_LENGTH = 256 * 1024;

export interface SplitText {
  /** JSON of the members. */
  readonly members: string;
  /** `spec_raw` in UTF-8. */
  readonly document: Uint8Array<ArrayBuffer> | null;
}

/** Takes the description out of a JSON body. Throws `unreadable_request` or `invalid_request`. */
export function splitBody(body: Uint8Array): SplitText {
  // Before it is parsed: values take much more memory than their JSON.
  if (lengthOutsideStrings(body) > MAX_MEMBERS_LENGTH) throw tooManyMembers();
  const whole = parse(body);
  if (!isObject(whole))
    throw new GatewayError('invalid_request', 'The body must be a JSON object.');
  const { spec_raw: raw, ...others } = whole;
  const members = JSON.stringify(typeof raw === 'string' ? others : whole);
  if (members.length > MAX_MEMBERS_LENGTH) throw tooManyMembers();
  return { members, document: typeof raw === 'string' ? new TextEncoder().encode(raw) : null };
}

const tooManyMembers = (): GatewayError =>
  new GatewayError(
    'invalid_request',
    `The members besides spec_raw may have ${MAX_MEMBERS_LENGTH} characters together. Send the description itself as the string spec_raw.`,
  );

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The bytes of JSON that are not in a string, each of which counts as one. */
function lengthOutsideStrings(json: Uint8Array): number {
  let length = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) isInString = !isInString;
    if (!isInString) length++;
    else if (byte === BACKSLASH) at++;
  }
  return length;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new GatewayError('unreadable_request', undefined, { cause });
  }
}
