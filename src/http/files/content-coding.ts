/** How the bytes of an answer may be compressed (RFC 9110 section 8.4.1). */
export type ContentCoding = 'br' | 'gzip' | 'identity';

const PREFERRED: readonly ContentCoding[] = ['br', 'gzip'];

/** The coding that a client wants most, the smallest of equals; `identity` when it names none that there is. */
export function chooseCoding(acceptEncoding: string | string[] | undefined): ContentCoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = new Map(String(acceptEncoding).toLowerCase().split(',').map(readWeight));
  const weightOf = (coding: ContentCoding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = PREFERRED.filter((coding) => weightOf(coding) > 0).sort(
    (a, b) => weightOf(b) - weightOf(a),
  );
  return best && weightOf(best) >= (weights.get('identity') ?? 0) ? best : 'identity';
}

/** `gzip;q=0.5` (RFC 9110 section 12.4.2). A weight that is no number counts as none. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}
