import { isObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { Licence } from '../model.ts';

/** What `x-licence` says where the publisher does not say anything. */
const UNKNOWN = 'unknown';
export const UNKNOWN_LICENCE: Licence = { code: UNKNOWN, title: null, url: null };

const CODE = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,39}$/;
const WANTED =
  'must be unknown, or an object with code (such as CC-BY-4.0), title and url (https, of the terms)';

/** What is wrong with an `x-licence` value, if anything: `unknown`, or `{code, title, url}`. */
export function licenceIssue(value: unknown): string | undefined {
  if (value === UNKNOWN) return undefined;
  if (!isObject(value)) return WANTED;
  const { code, title, url, ...others } = value;
  const isComplete =
    typeof code === 'string' &&
    CODE.test(code) &&
    typeof title === 'string' &&
    title !== '' &&
    typeof url === 'string' &&
    /^https?:\/\/\S+$/.test(url);
  return isComplete && Object.keys(others).length === 0 ? undefined : WANTED;
}

/** The licence of a valid `x-licence` value. */
export const licenceOf = (value: unknown): Licence =>
  isObject(value)
    ? {
        code: String(own(value, 'code')),
        title: ownText(value, 'title') ?? null,
        url: ownText(value, 'url') ?? null,
      }
    : UNKNOWN_LICENCE;
