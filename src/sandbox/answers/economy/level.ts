import { DAY } from '../../../public-data/korean-time.ts';
import { between, smooth } from '../noise.ts';

/** A value that changes slowly. */
export const levelOf = (key: string, time: number): number => {
  const base = between(40, 160, key);
  return base * (0.9 + 0.2 * smooth(time, 400 * DAY, key));
};
