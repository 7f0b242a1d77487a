import { createHmac, randomBytes } from 'node:crypto';
import type { Secret } from './secret.ts';

/** Header fields by lower-case name; an array for a field that was sent more than once. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The first value of a header field; an empty string if it was not sent. */
export function headerText(headers: ResponseHeaders, name: string): string {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** How a lookup in the cache ended (docs/contract.md#cache-status). */
export const CACHE_STATUSES = ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] as const;

export type CacheStatus = (typeof CACHE_STATUSES)[number];

export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  /** Lookups that sent no request to the upstream: HIT and COALESCED. */
  readonly hits: number;
  /** Lookups that sent one: MISS, STALE and failures. BYPASS counts as neither. */
  readonly misses: number;
  /** hits / (hits + misses), 0 to 1; null before the first lookup. */
  readonly hitRatio: number | null;
}

/** The request header that carries the mark of the gateway that sent it (docs/contract.md#requests). */
export const HOP_HEADER = 'x-tool-gateway-hop';

const BYTES = 12;

/**
 * Creates the mark by which a gateway recognises its own requests, so that no tool can call it in a loop. Processes with
 * the same ENCRYPTION_KEY share their mark: behind a load balancer, any of them may receive the request.
 */
export function createHopMark(encryptionKey: Secret | undefined): string {
  const bytes = encryptionKey
    ? createHmac('sha256', encryptionKey.reveal()).update(HOP_HEADER).digest().subarray(0, BYTES)
    : randomBytes(BYTES);
  return bytes.toString('hex');
}

/** How the bytes of a response may be compressed (RFC 9110 section 8.4.1). */
export type ContentCoding = 'br' | 'gzip' | 'identity';

const PREFERRED: readonly ContentCoding[] = ['br', 'gzip'];

/** The coding that a client prefers; among equals, the smallest. `identity` if it names no supported coding. */
export function chooseCoding(acceptEncoding: string | string[] | undefined): ContentCoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = new Map(String(acceptEncoding).toLowerCase().split(',').map(readWeight));
  const weightOf = (coding: ContentCoding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = PREFERRED.filter((coding) => weightOf(coding) > 0).sort(
    (a, b) => weightOf(b) - weightOf(a),
  );
  return best && weightOf(best) >= (weights.get('identity') ?? 0) ? best : 'identity';
}

/** `gzip;q=0.5` or `ko-KR;q=0.9` (RFC 9110 section 12.4.2). A weight that is not a number counts as 0. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}

/** Of a page that needs no build. */
export type PageLanguage = 'en' | 'ko';

/** The language of a page that a reader prefers (RFC 9110 section 12.5.4); English for readers of others. */
export function chooseLanguage(acceptLanguage: string | string[] | undefined): PageLanguage {
  const weights = String(acceptLanguage ?? '')
    .toLowerCase()
    .split(',')
    .map(readWeight);
  const weightOf = (language: PageLanguage): number =>
    Math.max(0, ...weights.map(([tag, weight]) => (tag.split('-')[0] === language ? weight : 0)));
  return weightOf('ko') > weightOf('en') ? 'ko' : 'en';
}
