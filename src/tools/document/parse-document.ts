import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { DefinitionError } from './definition-error.ts';
import { MAX_DOCUMENT_LENGTH, MAX_DOCUMENT_NODES } from './document-limits.ts';
import { type DocumentSource, DocumentSyntaxError, TOO_DEEP } from './document-source.ts';
import { readJson } from './json-source.ts';
import { DocumentUpgradeError, originalTokens, upgradeDocument } from './upgrade-document.ts';
import { readYaml } from './yaml-source.ts';

/** An API description, parsed and upgraded to OpenAPI 3.1, but not yet validated. */
export interface ParsedDocument {
  readonly fileName: string;
  readonly root: JsonObject;
  /** Line (from 1) in the file of what a JSON pointer into `root` names, or of the closest part that contains it. */
  readonly lineOf: (pointer: string) => number;
}

/**
 * Parses YAML or JSON (Swagger 2.0, OpenAPI 3.0, 3.1 or 3.2). `fileName` only appears in messages. Fetches nothing.
 * Rejects with DefinitionError. A thread with little memory passes fewer values than usual.
 */
export async function parseDocument(
  text: string,
  fileName: string,
  maxValues: number = MAX_DOCUMENT_NODES,
): Promise<ParsedDocument> {
  const refuse = (message: string, line = 1): never => {
    throw new DefinitionError([{ file: fileName, line, pointer: '', message }]);
  };
  if (text.length > MAX_DOCUMENT_LENGTH) {
    refuse(`The document is longer than ${MAX_DOCUMENT_LENGTH} characters. Split it.`);
  }
  try {
    const source = readSource(text.replace(/^\uFEFF/, ''), maxValues);
    return {
      fileName,
      root: await upgradeDocument(source.tree),
      lineOf: (pointer) => source.lineOf(originalTokens(pointer, source.tree)),
    };
  } catch (error) {
    if (error instanceof DocumentSyntaxError) return refuse(error.message, error.line);
    if (error instanceof DocumentUpgradeError) return refuse(error.message);
    // A parser that runs out of stack throws a RangeError.
    if (error instanceof RangeError) return refuse(TOO_DEEP);
    throw error;
  }
}

function readSource(text: string, maxValues: number): DocumentSource {
  const json = /^\s*\{/.test(text) ? readJson(text, maxValues) : undefined;
  return json ?? readYaml(text, maxValues);
}
