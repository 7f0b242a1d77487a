import { Client } from 'undici';
import type { ByteSource } from '../../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../../platform/kernel/cancellation.ts';
import type { Deadline } from '../../platform/kernel/deadline.ts';
import { HOP_HEADER } from '../../platform/kernel/hop-mark.ts';
import { MAX_DOCUMENT_LENGTH } from '../../tools/document/document-limits.ts';
import { USER_AGENT } from '../../tools/request/request-encoder.ts';
import { AbortableCall } from '../client/abortable-call.ts';
import { attempt, headerText, type ReceivedResponse } from '../client/attempt.ts';
import { ACCEPT_ENCODING } from '../client/decoder.ts';
import { isRedirect } from '../client/redirects.ts';
import { notFetched, refusedStatus, tooLargeDocument, tooManyRedirects } from './fetch-errors.ts';
import type { Guard } from './guard.ts';
import { redirectTarget } from './redirect-target.ts';

export interface DocumentFetcherOptions {
  readonly guard: Guard;
  readonly hopMark: string;
}

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

/** Fetches the API description of a registration. */
export interface DocumentFetcher {
  /**
   * Throws GatewayErrors whose messages are for the person who chose the address: `invalid_request` if another address is
   * needed, `upstream_blocked`, `upstream_too_large`, and errors that a later attempt may not meet.
   */
  fetch(address: string, options: FetchOptions): Promise<FetchedDocument>;
}

const MAX_REDIRECTS = 3;

const ACCEPT =
  'application/vnd.oai.openapi+json, application/vnd.oai.openapi, application/openapi+json, application/openapi+yaml, application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5';

/**
 * Creates the fetcher of documents. It sends no credentials, so that redirects may lead to other origins; each is checked
 * like the first address. It opens one connection per address and keeps none.
 */
export function createDocumentFetcher({ guard, hopMark }: DocumentFetcherOptions): DocumentFetcher {
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
    const connections = { pool, abandoned: { count: 0 } };
    const outcome = await attempt(connections, dispatched, { maxBytes, memory }, call);
    void pool.destroy();
    if (!outcome.error) return outcome;
    if (outcome.error.code === 'upstream_too_large') throw tooLargeDocument(url, maxBytes);
    throw notFetched(url, outcome.error);
  }

  async function follow(first: URL, options: FetchOptions, call: AbortableCall) {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const response = await request(url, options, call);
      if (!isRedirect(response)) return toDocument(url, response);
      options.memory.give(response.takenBytes);
      if (redirects === MAX_REDIRECTS) throw tooManyRedirects(first, MAX_REDIRECTS);
      url = redirectTarget(guard, url, headerText(response.headers, 'location'));
    }
  }

  return {
    async fetch(address, options) {
      const url = guard.checkUrl(address);
      const call = new AbortableCall(options.deadline, options.cancellation);
      try {
        return await follow(url, options, call);
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
  return {
    bytes: body,
    contentType: headerText(headers, 'content-type'),
    finalUrl: finalUrl.href,
  };
}
