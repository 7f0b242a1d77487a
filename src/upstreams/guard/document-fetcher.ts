import { Client } from 'undici';
import type { ByteSource } from '../../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { HOP_HEADER, headerText } from '../../platform/kernel/http-names.ts';
import type { Deadline } from '../../platform/kernel/time.ts';
import { MAX_DOCUMENT_LENGTH } from '../../tools/document/document-limits.ts';
import { USER_AGENT } from '../../tools/request/request-encoder.ts';
import { AbortableCall } from '../client/abortable-call.ts';
import { attempt, type ReceivedResponse } from '../client/attempt.ts';
import { ACCEPT_ENCODING } from '../client/decoder.ts';
import { isRedirect } from '../client/redirects.ts';
import type { Guard } from './guard.ts';

export interface FetchOptions {
  readonly deadline: Deadline;
  /** Whose share of the look-ups of names is used. */
  readonly tenantId: string;
  /** Charged once the document is no longer small. */
  readonly memory: ByteSource;
  /** Largest document, compressed and decompressed. */
  readonly maxBytes?: number;
  readonly cancellation?: Cancellation | undefined;
}

export interface FetchedDocument {
  readonly bytes: Buffer;
  /** `content-type` as sent, or an empty string. */
  readonly contentType: string;
  /** The address that served it, after redirects. */
  readonly finalUrl: string;
}

export type DocumentFetcher = ReturnType<typeof createDocumentFetcher>;

const MAX_REDIRECTS = 3;

export interface DocumentFetcherDeps {
  readonly guard: Guard;
  readonly hopMark: string;
  /** Redirects of one address; 3 by default. */
  readonly maxRedirects?: number;
}

const ACCEPT =
  'application/vnd.oai.openapi+json, application/vnd.oai.openapi, application/openapi+json, application/openapi+yaml, application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5';

/**
 * Creates the fetcher of the API descriptions of registrations. It sends no credentials, so that redirects may lead to
 * other origins; each is checked
 * like the first address. It opens one connection per address and keeps none.
 */
export function createDocumentFetcher({
  guard,
  hopMark,
  maxRedirects = MAX_REDIRECTS,
}: DocumentFetcherDeps) {
  const headers = {
    'user-agent': USER_AGENT,
    accept: ACCEPT,
    'accept-encoding': ACCEPT_ENCODING,
    [HOP_HEADER]: hopMark,
  };

  async function request(
    url: URL,
    { tenantId, memory, maxBytes = MAX_DOCUMENT_LENGTH }: FetchOptions,
    call: AbortableCall,
  ): Promise<ReceivedResponse> {
    call.throwIfAborted();
    const connect = guard.connectorFor(url.origin, tenantId);
    // The deadline of the call covers both timeouts.
    const pool = new Client(url.origin, {
      connect,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const dispatched = { method: 'GET', path: url.pathname + url.search, headers } as const;
    const connections = { pool, tenantId, abandoned: { count: 0 } };
    const outcome = await attempt(connections, dispatched, { maxBytes, memory }, call);
    void pool.destroy();
    if (!outcome.error) return outcome;
    if (outcome.error.code === 'upstream_too_large') throw tooLargeDocument(url, maxBytes);
    throw notFetched(url, outcome.error);
  }

  return {
    /**
     * Throws GatewayErrors whose messages are for the person who chose the address: `invalid_request` if another address is
     * needed, `upstream_blocked`, `upstream_too_large`, and errors that a later attempt may not meet.
     */
    async fetch(address: string, options: FetchOptions): Promise<FetchedDocument> {
      const first = guard.checkUrl(address);
      const call = new AbortableCall(options.deadline, options.cancellation);
      try {
        let url = first;
        for (let redirects = 0; ; redirects++) {
          const response = await request(url, options, call);
          if (!isRedirect(response)) return toDocument(url, response);
          options.memory.give(response.takenBytes);
          if (redirects === maxRedirects) throw tooManyRedirects(first, maxRedirects);
          url = redirectTarget(guard, url, headerText(response.headers, 'location'));
        }
      } finally {
        call.end();
      }
    },
  };
}

function toDocument(url: URL, { status, headers, body }: ReceivedResponse): FetchedDocument {
  if (status < 200 || status > 299 || body.length === 0) throw refusedStatus(url, status);
  const finalUrl = new URL(url);
  finalUrl.hash = '';
  const contentType = headerText(headers, 'content-type');
  return { bytes: body, contentType, finalUrl: finalUrl.href };
}

/** The address of a redirect. Throws if it may not be requested, or would leave https. */
export function redirectTarget(guard: Pick<Guard, 'checkUrl'>, from: URL, location: string): URL {
  const target = URL.parse(location, from);
  if (!target) throw refused('invalid_request', from, 'The new address is not a valid URL.');
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw refused('upstream_blocked', from, 'The new address must start with https:// too.');
  }
  try {
    return guard.checkUrl(target.href);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw refused(error.code, from, error.message);
  }
}

const refused = (code: GatewayError['code'], { host }: URL, reason: string): GatewayError =>
  new GatewayError(code, `${host} redirects to an address that the gateway rejects. ${reason}`);

/** The errors of fetching a document. They name the host only: the rest of the address may contain a credential. */

const MIB = 1024 * 1024;

/** The server could not be reached, or its response could not be read. */
const notFetched = ({ host }: URL, error: GatewayError): GatewayError =>
  new GatewayError(error.code, `The document could not be fetched from ${host}. ${error.message}`, {
    details: error.details,
    cause: error.cause,
  });

const tooLargeDocument = ({ host }: URL, maxBytes: number): GatewayError =>
  new GatewayError(
    'upstream_too_large',
    `The document at ${host} is too large. The limit is ${formatBytes(maxBytes)} after decompression, which may enlarge it at most a hundredfold.`,
  );

const tooManyRedirects = ({ host }: URL, most: number): GatewayError =>
  new GatewayError(
    'invalid_request',
    `${host} redirects more than ${most} times. Use the address that finally serves the document.`,
  );

/** What a gateway answers to its own requests. */
const LOOP_DETECTED = 508;

/** A response without a document. */
function refusedStatus({ host }: URL, status: number): GatewayError {
  const found = `${host} responded with status ${status}`;
  if (status === LOOP_DETECTED) {
    return new GatewayError('invalid_request', `${found}: its address leads back to this gateway.`);
  }
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
