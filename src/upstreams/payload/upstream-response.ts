import type { Cause } from '../../platform/kernel/cause.ts';
import type { ResponseHeaders } from '../../platform/kernel/http-names.ts';
import type { Deadline } from '../../platform/kernel/time.ts';
import type { PayloadShape, RowPlace } from '../../tools/model.ts';
import type { HiddenSecrets } from '../../tools/tool-connection.ts';
import { redactorFor } from '../redaction/redact-secrets.ts';
import type { PageFacts } from './page-facts.ts';

/** The result code of a public-data upstream (docs/contract.md#call-result). */
export interface PublicDataStatus {
  /** As sent, but 0, 000 and 0000 become 00. */
  readonly code: string;
  /** From the table in docs/contract.md#public-data-middleware. */
  readonly message: string;
  /** Who must do what, if known. */
  readonly hint?: string;
}

/** An upstream response as the caller gets it. */
export interface NormalisedPayload {
  /** Valid JSON in UTF-8: the upstream's own bytes, unless they had to be converted. */
  readonly json: Buffer;
  readonly publicData?: PublicDataStatus;
  /** False if the payload reports a failure, regardless of the HTTP status. */
  readonly ok: boolean;
  /** Why the response failed or holds no data; absent if neither its code nor its status says so. */
  readonly cause?: Cause;
  /** Result code of such a response, if it has one. */
  readonly code?: string;
  /** What the provider says about it: one line of at most 300 characters, without secrets. */
  readonly message?: string;
  /** Present if the upstream reports a failure of its own that is expected to pass. */
  readonly isTransient?: true;
  /** Number of rows at `x-items`, if the shape has them. */
  readonly rows?: number;
  /** Number of rows that the upstream has in all, if it reports one. */
  readonly total?: number;
  /** The time to which the data refer, in ISO 8601, if the payload says so (`x-as-of`). */
  readonly asOf?: string;
  /** Of a registered API without `x-items`: where its rows were found. */
  readonly found?: RowPlace;
  /** Of a registered API: what leads to the next page. */
  readonly pages?: PageFacts;
}

export interface PayloadInput {
  readonly status: number;
  readonly contentType: string;
  /** A large body is transferred to the thread and empty afterwards. */
  readonly body: Buffer;
  readonly shape: PayloadShape;
  readonly isPublicData: boolean;
  /** The arguments of the call, needed for shapes with `filters` only. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the request changed something: what cannot be read of its response is a failure, and no error. */
  readonly isWrite?: boolean;
  /** Whose turn on the thread a large body waits for. */
  readonly tenantId?: string;
  /** A body that is still queued at the deadline is not read. */
  readonly deadline?: Deadline;
  /** Secrets to redact: the payload is read as if it contained `REDACTED` in their place. */
  readonly hidden?: HiddenSecrets | undefined;
}

/**
 * Implemented by `createPayloadNormaliser`. Returns a promise only if another thread does the work. Throws or rejects with
 * GatewayError `upstream_bad_payload`; a queued body may also fail with `overloaded` or `upstream_timeout`.
 */
export type NormalisePayload = (
  input: PayloadInput,
) => NormalisedPayload | Promise<NormalisedPayload>;

/** An upstream's response as callers see it. Never modify it: it may be in the cache. */
export interface UpstreamResponse extends NormalisedPayload {
  readonly status: number;
  /** Address of its request, without secrets. */
  readonly url: string;
  /** How long a refused client should wait, as the upstream says. */
  readonly retryAfterSeconds?: number;
  /** Of a registered API: the addresses that the headers name. */
  readonly links?: ResponseLinks | undefined;
  /** When it was received, in milliseconds since the epoch. */
  readonly fetchedAtMs: number;
  /** The same in ISO 8601, UTC: formatting it again takes longer than all else that callers are told about the data. */
  readonly fetchedAt: string;
}

/** Status 400 and above, or a payload that reports a failure. */
export const isFailure = ({ ok, status }: UpstreamResponse): boolean => !ok || status >= 400;

/** What a test call says about a provider key. */
export type KeyVerdict =
  | 'works'
  /** The provider does not know the key. */
  | 'key_invalid'
  /** The provider has suspended the key. */
  | 'key_blocked'
  /** The period for which the provider granted access has ended. */
  | 'key_expired'
  /** The key is valid, but the dataset of this tool has not been applied for. */
  | 'not_applied'
  /** The provider accepts the key from other addresses only. */
  | 'address_refused'
  | 'quota_used_up'
  | 'too_fast'
  /** The provider has withdrawn the operation of this tool. */
  | 'withdrawn'
  /** The provider did not answer, or failed by itself: nothing is known about the key. */
  | 'upstream_unavailable'
  | 'unclear';

/** What the response of an upstream that refused a call says about the key; undefined if nothing. */
export type JudgeRefusal = (keyName: string, response: UpstreamResponse) => KeyVerdict | undefined;

/** Addresses that an upstream names beside its payload: absolute, without secrets. */
export interface ResponseLinks {
  /** `Location`: what was created, or where a redirect leads. */
  readonly location?: string;
  /** `Operation-Location` or `Azure-AsyncOperation`: the status of what is still under way. */
  readonly operation?: string;
  /** `Link` with `rel="next"`: the page that follows. */
  readonly next?: string;
}

/** Longest address; a longer one is left out, because a part of it leads nowhere. */
export const MAX_LINK_LENGTH = 2000;

/** The addresses in the headers of a response; undefined without any. `base`: the address of the request, without secrets. */
export function linksOf(
  headers: ResponseHeaders,
  base: string,
  hidden: HiddenSecrets | undefined,
): ResponseLinks | undefined {
  const all = (name: string): string => [headers[name] ?? []].flat().join(',');
  const read = (target: string | undefined): string | undefined => {
    const address = target && URL.parse(target.trim(), base);
    if (!address || !/^https?:$/.test(address.protocol)) return undefined;
    const text = redactorFor(hidden).text(Buffer.from(address.href)).toString();
    return text.length > MAX_LINK_LENGTH ? undefined : text;
  };
  const found = {
    location: read(all('location')),
    operation: read(all('operation-location') || all('azure-asyncoperation')),
    next: read(nextIn(all('link'))),
  };
  const links = Object.entries(found).filter(([, link]) => link !== undefined);
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** Headers with the number of rows in all, as APIs name them. */
const TOTAL_HEADERS: ReadonlySet<string> = new Set([
  'x-total-count',
  'x-total',
  'x-wp-total',
  'total-count',
  'x-total-results',
  'x-total-records',
  'x-total-elements',
  'x-pagination-total',
  'x-pagination-total-count',
  'x-pagination-item-count',
]);

/** Headers that lead to the next page, such as `X-Next-Page` and `X-Cursor-Next`. */
const NEXT_HEADER = /(?:^|-)(?:next-?(?:cursor|page|token)|cursor-next)$/;

/** A link to a page before, without one to the next (RFC 8288): a server that links its pages is at the last. */
const LINKS_BACK = /;\s*rel\s*=\s*"?(prev|previous|first)\b/i;

/** What the headers say of the rows: their number in all, and what follows. */
export function rowsOfHeaders(headers: ResponseHeaders): {
  readonly total?: number;
  readonly pages: PageFacts;
} {
  let total: number | undefined;
  const pages: PageFacts = {};
  for (const name in headers) {
    const isTotal = TOTAL_HEADERS.has(name);
    const isRange = name === 'content-range';
    if (!isTotal && !isRange && name !== 'link' && !NEXT_HEADER.test(name)) continue;
    const value = [headers[name] ?? []].flat().join(',').trim();
    if (isTotal || isRange) {
      const text = isRange ? (/^[\w-]+ (?:\d+-\d+|\*)\/(\d+)$/.exec(value)?.[1] ?? '') : value;
      if (/^\d{1,15}$/.test(text)) total ??= Number(text);
    } else if (name === 'link') {
      if (nextIn(value) === undefined && LINKS_BACK.test(value)) pages.isLast = true;
    } else if (value === '') pages.isLast = true;
    else pages.cursor ??= { name: name.replace('x-', ''), value };
  }
  return total === undefined ? { pages } : { total, pages };
}

/** The target of the first link whose relation is `next` (RFC 8288 section 3). */
function nextIn(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
    // An anchor says that the link belongs to another document.
    if (relations.includes('next') && !/;\s*anchor\s*=/i.test(parameters)) return target;
  }
  return undefined;
}
