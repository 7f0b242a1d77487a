/** The gateway refuses other passwords. */
const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

export const isGoodPassword = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH;
