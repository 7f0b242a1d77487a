import { cleanXml } from './clean-xml.ts';
import { JsonDocument } from './json-document.ts';
import { foldXml } from './xml-fold.ts';

/**
 * Reads XML in UTF-8 as JSON. XML that is not well-formed is repaired once; throws the Error of the original if that
 * does not help. `envelopes`: root elements (without prefix) whose document loses the prefixes of its names.
 */
export function readXml(xml: Buffer, envelopes?: ReadonlySet<string>): JsonDocument {
  const text = xml.toString();
  return new JsonDocument(Buffer.from(JSON.stringify(foldOrRepair(text, envelopes))));
}

function foldOrRepair(text: string, envelopes?: ReadonlySet<string>) {
  try {
    return foldXml(text, envelopes);
  } catch (error) {
    // A declaration must come first, and a control character before it is a space now.
    const clean = cleanXml(text).trimStart();
    if (clean === text) throw error;
    return foldAgain(clean, error, envelopes);
  }
}

function foldAgain(clean: string, original: unknown, envelopes?: ReadonlySet<string>) {
  try {
    return foldXml(clean, envelopes);
  } catch {
    throw original;
  }
}
