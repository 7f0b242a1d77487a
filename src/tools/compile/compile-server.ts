import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { CompileContext } from './compile-context.ts';

/**
 * The URL of the first server, without a trailing slash and with its variables set to their defaults: callers can
 * never choose where a request goes. Undefined, with an issue, if there is no usable one.
 */
export function compileServer(servers: Located, context: CompileContext): string | undefined {
  const { value, pointer } = servers;
  const [server] = Array.isArray(value) ? value : [];
  const template = isObject(server) ? ownText(server, 'url') : undefined;
  if (template === undefined && !context.options.documentUrl) {
    const orGive = context.strict ? '' : ', or give base_url with the registration';
    context.issues.add(pointer, `The document has no server URL. Set servers[0].url${orGive}.`);
    return undefined;
  }
  const text = fillVariables(template ?? '/', isObject(server) ? server : {});
  const address = text === undefined ? undefined : absolute(text, context.options.documentUrl);
  const issue = text === undefined ? NO_DEFAULT : issueOf(address, context);
  if (issue || !address) {
    context.issues.add(`${pointer}/0/url`, issue ?? NOT_ABSOLUTE);
    return undefined;
  }
  // As the operator wrote it where possible: people see it. A stranger's is shown as it is used.
  const isAbsolute = context.strict && text !== undefined && URL.canParse(text);
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

function issueOf(address: URL | undefined, { options }: CompileContext): string | undefined {
  if (!address || !/^https?:$/.test(address.protocol)) {
    return NOT_ABSOLUTE;
  }
  if (address.username || address.password) return 'A server URL must not contain credentials.';
  if (address.search || address.hash || /[?#\\\s]/.test(address.href)) {
    return 'A server URL must not contain a query or a fragment.';
  }
  return options.serverIssue?.(address);
}

const NO_DEFAULT = 'A variable of the server URL has no default. Set one.';

const NOT_ABSOLUTE = 'The server URL must be absolute and start with https:// or http://.';
