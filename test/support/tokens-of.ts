/**
 * Tokens of a text for a language model, at most: two bytes of a table or of Korean text (three bytes a syllable) are at
 * least one token.
 */
export const tokensOf = (text: string): number => Buffer.byteLength(text) / 2;
