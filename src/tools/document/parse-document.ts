import type { JsonObject } from '../plain-json.ts';
import { DefinitionError } from './definition-error.ts';
import { MAX_DOCUMENT_LENGTH } from './document-limits.ts';
import { type DocumentSource, SourceFault } from './document-source.ts';
import { readJson } from './json-source.ts';
import { originalTokens, UpgradeFault, upgradeDocument } from './upgrade-document.ts';
import { readYaml } from './yaml-source.ts';

/** An API description, read and brought to OpenAPI 3.1, not yet checked. */
export interface ParsedDocument {
  readonly fileName: string;
  readonly root: JsonObject;
  /** Line (from 1) in the file of what a JSON pointer into `root` names, or of the nearest part around it. */
  readonly lineOf: (pointer: string) => number;
}

/**
 * Reads YAML or JSON text (Swagger 2.0, OpenAPI 3.0, 3.1 or 3.2). `fileName` is only for messages. Nothing is
 * fetched. Rejects with DefinitionError.
 */
export async function parseDocument(text: string, fileName: string): Promise<ParsedDocument> {
  const refuse = (message: string, line = 1): never => {
    throw new DefinitionError([{ file: fileName, line, pointer: '', message }]);
  };
  if (text.length > MAX_DOCUMENT_LENGTH) refuse('The document is too large.');
  try {
    const source = readSource(text.replace(/^\uFEFF/, ''));
    return {
      fileName,
      root: await upgradeDocument(source.tree),
      lineOf: (pointer) => source.lineOf(originalTokens(pointer, source.tree)),
    };
  } catch (error) {
    if (error instanceof SourceFault) return refuse(error.message, error.line);
    if (error instanceof UpgradeFault) return refuse(error.message);
    // A parser that runs out of stack says so with a RangeError.
    if (error instanceof RangeError) return refuse('The document is nested too deeply.');
    throw error;
  }
}

function readSource(text: string): DocumentSource {
  const json = /^\s*\{/.test(text) ? readJson(text) : undefined;
  return json ?? readYaml(text);
}
