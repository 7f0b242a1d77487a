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

/** `gzip;q=0.5` (RFC 9110 section 12.4.2). A weight that is not a number counts as 0. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}
