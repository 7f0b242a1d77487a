import { resourceLimits } from 'node:worker_threads';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import {
  baseUrlOf,
  type CompiledDocument,
  compileDocument,
} from '../../tools/compile/compile-document.ts';
import type { RegisteredPolicy } from '../../tools/compile/compile-policy.ts';
import { DefinitionError } from '../../tools/document/definition-error.ts';
import { MAX_DOCUMENT_NODES } from '../../tools/document/document-limits.ts';
import { type ParsedDocument, parseDocument } from '../../tools/document/parse-document.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import { checkUrl, type UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { credentialBinding } from './credential-binding.ts';
import { baseOrigins } from './origins.ts';
import type { DescriptionContext } from './registration-steps.ts';

const MIB = 1024 * 1024;
/** Memory for one value of a description while it is compiled, at most. */
const VALUE_BYTES = 256;

/** A description, and how its tenant wants it read. */
export interface Description extends DescriptionContext {
  readonly document: Uint8Array;
  /** The origins that get the credential; null = that of the base address, for what is not registered yet. */
  readonly origins: readonly string[] | null;
}

export interface ReadDeps {
  readonly domain: ToolDomain;
  /** Which servers the gateway calls. */
  readonly urls: UrlPolicy;
}

/** Compiles a tenant's description. Rejects with `unprocessable` if there is no document to compile. */
export async function readDescription(
  description: Description,
  { domain, urls }: ReadDeps,
): Promise<CompiledDocument> {
  const { descriptionUrl, scheme, options } = description;
  const { baseUrl, include, exclude } = options;
  const optionsWith = (origins: readonly string[]) => {
    const credential = credentialBinding(scheme, origins);
    const policy: RegisteredPolicy = {
      kind: 'registered',
      exclude,
      ...(baseUrl !== null && { baseUrl }),
      ...(include !== null && { include }),
      ...(credential && { credential }),
    };
    return {
      domain,
      serverIssue: (address: URL) => serverIssue(address, urls),
      policy,
      ...(descriptionUrl !== null && { documentUrl: descriptionUrl }),
    };
  };
  try {
    const parsed = await parse(description);
    const origins = description.origins ?? baseOrigins(baseUrlOf(parsed, optionsWith([])) ?? '');
    return compileDocument(parsed, optionsWith(origins));
  } catch (error) {
    throw error instanceof DefinitionError ? refusal(error) : error;
  }
}

function serverIssue({ href }: URL, urls: UrlPolicy): string | undefined {
  try {
    checkUrl(href, urls);
    return undefined;
  } catch (error) {
    return `The server cannot be called. ${toGatewayError(error).message}`;
  }
}

function parse({ document, name }: Description): Promise<ParsedDocument> {
  const text = decode(document);
  if (text.trim() === '') throw unprocessable('The description is empty.');
  if (/^\s*</.test(text)) throw unprocessable(IS_PAGE);
  return parseDocument(text, name, maxValues());
}

/** How many values this thread has memory for. The main thread has no limit of its own. */
function maxValues(): number {
  const { maxOldGenerationSizeMb = Number.POSITIVE_INFINITY } = resourceLimits;
  return Math.min(MAX_DOCUMENT_NODES, Math.floor((maxOldGenerationSizeMb * MIB) / VALUE_BYTES));
}

function decode(document: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(document);
  } catch {
    throw unprocessable('The description is not UTF-8 text. Save it in UTF-8, as JSON or YAML.');
  }
}

const IS_PAGE =
  'This is a page (HTML or XML) and not a description. Give the address of the OpenAPI document itself, in JSON or YAML.';

function refusal({ issues }: DefinitionError): GatewayError {
  const errors = issues.map(({ pointer, message }) => ({ path: pointer, message }));
  return new GatewayError('unprocessable', issues[0]?.message, { details: { errors } });
}

const unprocessable = (message: string): GatewayError => new GatewayError('unprocessable', message);
