import { HOUR } from '../../../public-data/korean-time.ts';
import { smooth } from '../noise.ts';

/** Made-up air of one hour. */
export interface Air {
  /** μg/m³ */
  readonly pm10: number;
  /** μg/m³ */
  readonly pm25: number;
  /** ppm */
  readonly ozone: number;
  /** ppm */
  readonly nitrogenDioxide: number;
  /** ppm */
  readonly carbonMonoxide: number;
  /** ppm */
  readonly sulphurDioxide: number;
}

const CHANGE = 8 * HOUR;

/** The air at a place: changes over hours, the same in every run. */
export function airAt(key: string, time: number): Air {
  const level = (name: string) => smooth(time, CHANGE, key, name);
  const pm25 = 6 + 34 * level('pm') ** 1.5;
  return {
    pm25,
    pm10: pm25 * (1.3 + 0.6 * level('dust')),
    ozone: 0.01 + 0.04 * level('ozone'),
    nitrogenDioxide: 0.005 + 0.035 * level('nitrogen'),
    carbonMonoxide: 0.2 + 0.5 * level('carbon'),
    sulphurDioxide: 0.001 + 0.004 * level('sulphur'),
  };
}
