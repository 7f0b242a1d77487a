import { isObject, type JsonObject, type Located, own, ownText } from '../plain-json.ts';
import type { CompileContext } from './compile-context.ts';

/**
 * The address of the first server, without a trailing slash, its variables set to their defaults: callers can
 * never choose where a request goes. Undefined, with a fault, when there is none to be called.
 */
export function compileServer(servers: Located, context: CompileContext): string | undefined {
  const { value, pointer } = servers;
  const [server] = Array.isArray(value) ? value : [];
  const template = isObject(server) ? ownText(server, 'url') : undefined;
  if (template === undefined && !context.options.documentUrl) {
    context.faults.add(
      pointer,
      'The document must say the address of its server (servers[0].url).',
    );
    return undefined;
  }
  const text = fillVariables(template ?? '/', isObject(server) ? server : {});
  const fault = text === undefined ? 'A server variable has no default.' : undefined;
  const address = absolute(text ?? '', context.options.documentUrl);
  const reason = fault ?? faultOf(address);
  if (reason || !address) {
    context.faults.add(`${pointer}/0/url`, reason ?? 'This is no address.');
    return undefined;
  }
  // As written where possible; a document's own base address is shown to people.
  const isAbsolute = text !== undefined && URL.canParse(text);
  return (isAbsolute ? text : address.href).replace(/\/+$/, '');
}

function fillVariables(template: string, server: JsonObject): string | undefined {
  const variables = own(server, 'variables');
  let isComplete = true;
  const filled = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = isObject(variables) ? own(variables, name) : undefined;
    const value = isObject(variable) ? own(variable, 'default') : undefined;
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    isComplete = false;
    return '';
  });
  return isComplete ? filled : undefined;
}

function absolute(text: string, documentUrl: string | undefined): URL | undefined {
  if (URL.canParse(text)) return new URL(text);
  return documentUrl && URL.canParse(text, documentUrl) ? new URL(text, documentUrl) : undefined;
}

function faultOf(address: URL | undefined): string | undefined {
  if (!address || !/^https?:$/.test(address.protocol)) {
    return 'The server must be an absolute address that begins with https:// or http://.';
  }
  if (address.username || address.password) return 'A server address may not carry credentials.';
  if (address.search || address.hash || /[?#\\\s]/.test(address.href)) {
    return 'A server address may not have a query or a fragment.';
  }
  return undefined;
}
