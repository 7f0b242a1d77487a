/** The number that a figure such as "790,000", "-.19" or 37.5 stands for; undefined for any other text. */
export function readFigure(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  return /^[+-]?[\d,]*\.?\d+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}

/** A figure with a comma between thousands. */
export function withCommas(figure: string | number): string {
  const [integer = '', fraction] = String(figure).split('.');
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** An id such as "PF287093" with its last digits increased. */
export function increaseId(id: unknown, by: number): unknown {
  if (typeof id === 'number') return id + by;
  if (typeof id !== 'string') return id;
  return id.replace(/\d+$/, (digits) =>
    String(BigInt(digits) + BigInt(by)).padStart(digits.length, '0'),
  );
}
