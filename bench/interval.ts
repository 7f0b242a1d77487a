/** How many times as large one thing is as another, with the limits of its 95 % confidence interval. */
export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** The ratio of two series of positive figures, of which those at the same position belong together. */
export function ratioOf(of: readonly number[], to: readonly number[]): Ratio {
  const logs = of.map((value, at) => Math.log(value / (to[at] ?? Number.NaN)));
  const mean = sum(logs) / logs.length;
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1);
  const margin = studentT(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(mean), low: Math.exp(mean - margin), high: Math.exp(mean + margin) };
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** Quantile 0.975 of the normal distribution. */
const Z = 1.959964;

/** Quantile 0.975 of Student's t distribution, within 1 % from 4 degrees of freedom on (Abramowitz and Stegun 26.7.5). */
function studentT(freedom: number): number {
  const first = (Z ** 3 + Z) / 4;
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96;
  const third = (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384;
  return Z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
