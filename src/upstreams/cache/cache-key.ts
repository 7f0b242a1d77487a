import stringify from 'safe-stable-stringify';
import { GatewayError } from '../../platform/kernel/error.ts';
import { headerText, type ResponseHeaders } from '../../platform/kernel/http-names.ts';

/** Strict: a value that is not JSON throws. Otherwise it would be written like another value. */
const canonicalJson = stringify.configure({ deterministic: true, strict: true });

/**
 * The cache key of a response. Two keys are equal exactly when tool version, credential identity and arguments are
 * equal (deeply, whatever the order of their properties). One JSON array, so that the parts cannot run into each other.
 * `credentialIdentity` separates tenants where a tenant's own secret is used.
 * Throws GatewayError `invalid_arguments` when the arguments are nested deeper than the stack allows.
 */
export function cacheKey(
  toolVersion: string,
  args: Record<string, unknown>,
  credentialIdentity: string,
): string {
  try {
    const parts = [toolVersion, credentialIdentity, args];
    return isCanonical(args) ? JSON.stringify(parts) : canonicalJson(parts);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new GatewayError('invalid_arguments', 'The arguments are nested too deeply.', { cause });
  }
}

/** Whether the names are in order and all values are simple, as in most calls. `JSON.stringify` is several times as fast. */
function isCanonical(args: Record<string, unknown>): boolean {
  let previous = '';
  for (const name in args) {
    if (name < previous || !isSimple(args[name])) return false;
    previous = name;
  }
  return true;
}

const isSimple = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value === null ||
  (typeof value === 'number' && Number.isFinite(value));

/** Directives with which a cache that several callers share stores nothing, or would have to ask each time (RFC 9111 section 5.2.2). */
const NOT_REUSED = /(?:^|,)\s*(?:no-store|no-cache|private)\s*(?:[=,]|$)/i;

/** How long an upstream lets its response be reused, in seconds; undefined if it does not say. */
export function allowedSeconds(headers: ResponseHeaders): number | undefined {
  const given = headers['cache-control'];
  if (given === undefined) return undefined;
  const directives = typeof given === 'string' ? given : given.join(',');
  if (NOT_REUSED.test(directives)) return 0;
  const age = secondsOf(directives, 's-maxage') ?? secondsOf(directives, 'max-age');
  if (age === undefined) return undefined;
  return Math.max(0, age - (Number(headerText(headers, 'age')) || 0));
}

function secondsOf(directives: string, name: string): number | undefined {
  const [, digits] =
    new RegExp(`(?:^|,)\\s*${name}\\s*=\\s*"?(\\d{1,15})`, 'i').exec(directives) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
