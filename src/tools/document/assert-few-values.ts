import { DocumentSyntaxError, tooManyValues } from './document-source.ts';

/**
 * Throws DocumentSyntaxError if a JSON text has too many values. Runs before `JSON.parse`, which cannot be interrupted: if
 * it exhausts the heap of a thread, the whole process ends.
 */
export function assertFewJsonValues(text: string, most: number): void {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at);
        break;
      case 0x2c: // ,
      case 0x5b: // [
      case 0x7b: // {
        if (++values > most) throw new DocumentSyntaxError(tooManyValues(most), 1);
    }
  }
}

/** Index of the quote that ends a JSON string; the length of the text if none does. */
export function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at;
    if (unit === 0x5c) at++;
  }
  return text.length;
}

/** The same for YAML, where every value but the first in a line follows one of these characters. */
export function assertFewYamlValues(text: string, most: number): void {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x0a: // line feed
      case 0x2c: // ,
      case 0x5b: // [
      case 0x7b: // {
        if (++values > most) throw new DocumentSyntaxError(tooManyValues(most), 1);
    }
  }
}
