import type { AnswerRules } from './answer-rule.ts';
import { AIR } from './weather/air.ts';
import { BULLETINS } from './weather/bulletins.ts';
import { MID_FORECAST } from './weather/mid-forecast.ts';
import { OBSERVATIONS } from './weather/observations.ts';
import { OPEN_METEO } from './weather/open-meteo.ts';
import { SHORT_FORECAST } from './weather/short-forecast.ts';
import { SKY } from './weather/sky.ts';
import { WATER } from './weather/water.ts';

/** Weather, air, water and sky. */
export const WEATHER: AnswerRules = {
  ...SHORT_FORECAST,
  ...MID_FORECAST,
  ...OBSERVATIONS,
  ...BULLETINS,
  ...AIR,
  ...SKY,
  ...WATER,
  ...OPEN_METEO,
};
