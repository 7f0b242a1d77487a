import { maskCompanyNumber, maskText } from './mask-text.ts';
import { isCompanyNumberName, isSecretName } from './property-names.ts';

/** What stands in an address for a credential of the gateway (contract "JSON-RPC", upstream.url). */
const REDACTED = 'REDACTED';

/** An upstream's address as the audit record keeps it: arguments stand in path and query as well. */
export function maskUrl(url: string): string {
  const queryAt = url.indexOf('?');
  if (queryAt < 0) return maskPath(url);
  const pairs = url.slice(queryAt + 1).split('&');
  return `${maskPath(url.slice(0, queryAt))}?${pairs.map(maskPair).join('&')}`;
}

const maskPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => masked(segment, maskText))
    .join('/');

function maskPair(pair: string): string {
  const equalsAt = pair.indexOf('=');
  if (equalsAt < 0) return masked(pair, maskText);
  const [name, value] = [pair.slice(0, equalsAt), pair.slice(equalsAt + 1)];
  const plainName = decode(name);
  if (isSecretName(plainName)) {
    return value === REDACTED || value === '' ? pair : `${name}=[masked:secret]`;
  }
  const rule = isCompanyNumberName(plainName) ? maskCompanyNumber : maskText;
  return `${masked(name, maskText)}=${masked(value, rule)}`;
}

/** The encoded text as it is, unless the rule changes what it means. */
function masked(encoded: string, rule: (text: string) => string): string {
  const plain = decode(encoded);
  const result = rule(plain);
  return result === plain ? encoded : result;
}

function decode(encoded: string): string {
  if (!/[%+]/.test(encoded)) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}
