import { hash } from 'node:crypto';

const KEY_TEXT = /^tg_live_[0-9A-Za-z]{43}$/;

/** Characters of a key that may be shown, to recognise it by. */
const PREFIX_LENGTH = 12;

/** Whether the text has the form of an API key (docs/contract.md#authentication). */
export const isKeyText = (text: string): boolean => KEY_TEXT.test(text);

/** SHA-256 in hex, all that is stored of a key: 256 random bits need no slow hash. */
export const digestOf = (keyText: string): string => hash('sha256', keyText);

export const prefixOf = (keyText: string): string => keyText.slice(0, PREFIX_LENGTH);
