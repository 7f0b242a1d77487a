/** Longest message of a provider, in characters. */
export const MAX_MESSAGE_CHARACTERS = 300;

/** Read of a longer text, in UTF-16 units: enough for the message, whatever is cleaned away. */
const READ_UNITS = 8 * MAX_MESSAGE_CHARACTERS;

/**
 * What a provider says as one line: without control, bidirectional and zero-width characters, and cut to 300
 * characters. Undefined if nothing is left. The caller has redacted the text.
 */
export function cleanMessage(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const line = text
    .slice(0, READ_UNITS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return line === '' ? undefined : [...line].slice(0, MAX_MESSAGE_CHARACTERS).join('');
}
