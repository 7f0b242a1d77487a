/** A shorter value may be part of any word; it is redacted only where it is the whole value of its parameter. */
const MIN_CHARACTERS = 8;

/** Whether the value is too short to be redacted everywhere. */
export const isShortSecret = (value: string): boolean => value.trim().length < MIN_CHARACTERS;
