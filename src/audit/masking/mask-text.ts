import { decodeEscapes } from './decode-escapes.ts';
import { foldText } from './fold-text.ts';
import { maskNumbers } from './mask-numbers.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { NameMeaning } from './property-names.ts';
import { isSuspicious } from './suspicion.ts';

/** How many levels of nested escapes are decoded. */
const MAX_DECODINGS = 3;

/**
 * Replaces keys, tokens, passwords, mail addresses and resident, card, telephone, passport and licence numbers with
 * `[masked:...]`, even if they are written in other digits, with invisible characters or escaped. `meaning` is the
 * meaning of the name of the text's property. Text with nothing to mask is returned unchanged.
 */
export function maskText(text: string, meaning: NameMeaning = 'plain'): string {
  return isSuspicious(text) ? maskSuspicious(text, meaning) : text;
}

/** Dates, codes and numbers in ASCII: the most common suspicious texts, and quick to clear. */
const NUMBERS_ONLY = /^[\d .:()+/-]*$/;

function maskSuspicious(text: string, meaning: NameMeaning): string {
  if (NUMBERS_ONLY.test(text)) return maskNumbers(text, meaning);
  const layers = [foldText(text)];
  while (layers.length <= MAX_DECODINGS) {
    const outer = layers.at(-1) ?? '';
    const inner = foldText(decodeEscapes(outer));
    if (inner === outer) break;
    layers.push(inner);
  }
  return maskInnermost(layers, meaning) ?? text;
}

/** Innermost first: the digits of an escape can look like a number and hide the one inside. */
function maskInnermost(layers: readonly string[], meaning: NameMeaning): string | undefined {
  for (const layer of layers.toReversed()) {
    const masked = maskNumbers(maskSecrets(layer), meaning);
    if (masked !== layer) return masked;
  }
  return undefined;
}
