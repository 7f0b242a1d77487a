import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import { closest } from '../../tools/edit-distance.ts';
import { checkUrl, type UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { MAX_URL_LENGTH } from './request-bounds.ts';

interface TextRule {
  readonly maxLength: number;
  /** What else the text must match, and the words for it. */
  readonly pattern?: RegExp;
  readonly otherwise?: string;
  readonly mayBeEmpty?: boolean;
  readonly isMultiline?: boolean;
}

/** Reads the members of one JSON object and notes every issue. `null` counts as absent. */
export interface FieldReader {
  readonly pointer: string;
  note(member: string, message: string): void;
  /** Notes every member whose name is not one of these. `where` ends the sentence. */
  allowOnly(names: readonly string[], where: string): void;
  value(name: string): unknown;
  /** Where `null` has a meaning of its own. */
  isNull(name: string): boolean;
  text(name: string, rule: TextRule): string | undefined;
  requiredText(name: string, rule: TextRule): string;
  oneOf<const Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined;
  flag(name: string): boolean;
  url(name: string, policy: UrlPolicy): string | undefined;
}

/**
 * Also what is invisible or reverses the text around it: a name must not look like another, and models read what people do
 * not see, such as tag characters.
 */
const CONTROL =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/u;

/** What longer texts may contain: line breaks, and the characters that join emoji. */
const MULTILINE = /[\t\r\n]|\u200d|\ufe0f/g;

export function readFields(object: JsonObject, issues: ArgumentIssue[], pointer = ''): FieldReader {
  const note = (member: string, message: string): void => {
    issues.push({ path: pointerTo(pointer, member), message });
  };
  const value = (name: string): unknown => own(object, name) ?? undefined;

  const text = (name: string, rule: TextRule): string | undefined => {
    const found = value(name);
    if (found === undefined) return undefined;
    const message = textIssue(found, rule);
    if (message === undefined) return found as string;
    note(name, message);
    return undefined;
  };

  return {
    pointer,
    note,
    value,
    isNull: (name) => own(object, name) === null,
    text,
    allowOnly: (names, where) => {
      for (const key of Object.keys(object)) {
        if (names.includes(key)) continue;
        const meant = closest(key, names);
        note(key, `is not a member of ${where}.${meant ? ` Did you mean "${meant}"?` : ''}`);
      }
    },
    requiredText: (name, rule) => {
      if (value(name) === undefined) note(name, 'is required.');
      return text(name, rule) ?? '';
    },
    oneOf: (name, choices) => {
      const found = value(name);
      const choice = choices.find((each) => each === found);
      if (found !== undefined && choice === undefined) {
        note(name, `must be one of: ${choices.join(', ')}.`);
      }
      return choice;
    },
    flag: (name) => {
      const found = value(name);
      if (found !== undefined && typeof found !== 'boolean') note(name, 'must be true or false.');
      return found === true;
    },
    url: (name, policy) => {
      const found = text(name, { maxLength: MAX_URL_LENGTH });
      if (found === undefined) return undefined;
      const message = urlIssue(found, policy);
      if (message === undefined) return found;
      note(name, message);
      return undefined;
    },
  };
}

/** Never quotes the text, which may be a credential. */
function textIssue(found: unknown, rule: TextRule): string | undefined {
  if (typeof found !== 'string') return 'must be a string.';
  if (found.trim() === '' && !rule.mayBeEmpty) return 'must not be empty.';
  if (found.length > rule.maxLength) return `must have at most ${rule.maxLength} characters.`;
  if (CONTROL.test(rule.isMultiline ? found.replace(MULTILINE, '') : found))
    return 'must not contain control characters or invisible ones.';
  if (!found.isWellFormed()) return 'must be valid Unicode.';
  return rule.pattern && !rule.pattern.test(found) ? rule.otherwise : undefined;
}

function urlIssue(text: string, policy: UrlPolicy): string | undefined {
  try {
    checkUrl(text, policy);
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error.message.replace(/^The address /, '');
    throw error;
  }
}
