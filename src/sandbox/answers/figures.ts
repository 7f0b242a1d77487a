import { noise, type Seed } from './noise.ts';

/** The number of decimals in a figure such as "1,278.24". */
const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;

/** The number that a figure such as "790,000", "-.19" or 37.5 stands for; undefined for any other text. */
export function readFigure(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  return /^[+-]?[\d,]*\.?\d+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}

/** A number printed like a sample figure: as a number or as text, with its decimals, commas and missing leading zeros. */
export function printLike(sample: unknown, value: number): string | number {
  const text = String(sample);
  const fixed = value.toFixed(decimalsOf(text));
  if (typeof sample === 'number') return Number(fixed);
  const plain = /^[+-]?\./.test(text) ? fixed.replace(/^(-?)0\./, '$1.') : fixed;
  return text.includes(',') ? withCommas(plain) : plain;
}

/** A figure with a comma between thousands. */
export function withCommas(figure: string | number): string {
  const [integer = '', fraction] = String(figure).split('.');
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A figure near a sample figure, by up to `spread` of it, and printed like it; what is no figure stays as it is. */
export function vary(sample: unknown, spread: number, ...seed: Seed): unknown {
  const figure = readFigure(sample);
  return figure === undefined
    ? sample
    : printLike(sample, figure * (1 + spread * (2 * noise(...seed) - 1)));
}

/** An id such as "PF287093" with its last digits increased. */
export function increaseId(id: unknown, by: number): unknown {
  if (typeof id === 'number') return id + by;
  if (typeof id !== 'string') return id;
  return id.replace(/\d+$/, (digits) =>
    String(BigInt(digits) + BigInt(by)).padStart(digits.length, '0'),
  );
}
