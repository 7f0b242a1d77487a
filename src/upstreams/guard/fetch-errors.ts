import { GatewayError } from '../../platform/kernel/error.ts';

/** The errors of fetching a document. They name the host only: the rest of the address may contain a credential. */

const MIB = 1024 * 1024;

/** The server could not be reached, or its response could not be read. */
export const notFetched = ({ host }: URL, error: GatewayError): GatewayError =>
  new GatewayError(error.code, `The document could not be fetched from ${host}. ${error.message}`, {
    details: error.details,
    cause: error.cause,
  });

export const tooLargeDocument = ({ host }: URL, maxBytes: number): GatewayError =>
  new GatewayError(
    'upstream_too_large',
    `The document at ${host} is too large. The limit is ${formatBytes(maxBytes)} after decompression, which may enlarge it at most a hundredfold.`,
  );

export const tooManyRedirects = ({ host }: URL, limit: number): GatewayError =>
  new GatewayError(
    'invalid_request',
    `${host} redirects more than ${limit} times. Use the address that finally serves the document.`,
  );

/** A response without a document. */
export function refusedStatus({ host }: URL, status: number): GatewayError {
  const found = `${host} responded with status ${status}`;
  if (status >= 500 || status === 429) {
    return new GatewayError('upstream_unreachable', `${found}. Try again later.`);
  }
  return new GatewayError('invalid_request', `${found} ${adviceFor(status)}`);
}

function adviceFor(status: number): string {
  switch (status) {
    case 401:
    case 403:
      return 'instead of the document. The gateway fetches documents without credentials: use a public address, or send the text of the document.';
    case 404:
    case 410:
      return '(not found). Check the address of the document.';
    default:
      return 'and no document. Check the address of the document.';
  }
}

const formatBytes = (bytes: number): string =>
  bytes >= MIB ? `${Math.floor(bytes / MIB)} MiB` : `${bytes} bytes`;
