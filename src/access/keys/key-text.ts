import { hash } from 'node:crypto';

/** Characters of a key that may be shown to identify it. */
const PREFIX_LENGTH = 12;

/** SHA-256 in hex, all that is stored of a key. 256 random bits need no slow hash. */
export const digestOf = (keyText: string): string => hash('sha256', keyText);

export const prefixOf = (keyText: string): string => keyText.slice(0, PREFIX_LENGTH);
