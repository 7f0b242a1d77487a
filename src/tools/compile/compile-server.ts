import { child, type Located } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';
import type { CompileContext, CompileOptions } from './compile-context.ts';

/**
 * The URL of the first server, without a trailing slash and with its variables set to their defaults: callers can
 * never choose where a request goes. Undefined, with an issue, if there is no usable one.
 */
export function compileServer(
  { value, pointer }: Located,
  context: CompileContext,
): string | undefined {
  const { strict, options, refuse } = context;
  const [first] = Array.isArray(value) ? value : [];
  const server: JsonObject = isObject(first) ? first : {};
  // An empty address is the root of the document's host, as no address is.
  const template = ownText(server, 'url') || undefined;
  const base = baseOf(options);
  if (template === undefined && !base) {
    const orGive = strict ? '' : ', or give base_url with the registration';
    refuse(pointer, `The document has no server URL. Set servers[0].url${orGive}.`);
    return undefined;
  }
  const text = fillVariables(template ?? '/', ownObject(server, 'variables'));
  const address = URL.parse(text ?? '') ?? URL.parse(text ?? '', base);
  const issue =
    text === undefined
      ? 'A variable of the server URL has no default. Set one.'
      : issueOf(address, options);
  if (issue || !address) {
    refuse(`${pointer}/0/url`, issue ?? NOT_ABSOLUTE);
    return undefined;
  }
  // As the operator wrote it where possible: people see it. A stranger's is shown as it is used.
  const isAbsolute = strict && text !== undefined && URL.canParse(text);
  return (isAbsolute ? text : address.href).replace(/\/+$/, '');
}

/** What relative addresses are relative to: the address that the registration gives, else the address of the document. */
const baseOf = ({ policy, documentUrl }: CompileOptions): string | undefined =>
  (policy.kind === 'registered' ? policy.baseUrl : undefined) ?? documentUrl;

function fillVariables(template: string, variables: JsonObject): string | undefined {
  let isComplete = true;
  const filled = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = child(own(variables, name), 'default');
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    isComplete = false;
    return '';
  });
  return isComplete ? filled : undefined;
}

function issueOf(address: URL | null, { serverIssue }: CompileOptions): string | undefined {
  if (!address || !/^https?:$/.test(address.protocol)) return NOT_ABSOLUTE;
  if (address.username || address.password) return 'A server URL must not contain credentials.';
  if (address.search || address.hash || /[?#\\\s]/.test(address.href)) {
    return 'A server URL must not contain a query or a fragment.';
  }
  return serverIssue?.(address);
}

const NOT_ABSOLUTE = 'The server URL must be absolute and start with https:// or http://.';
