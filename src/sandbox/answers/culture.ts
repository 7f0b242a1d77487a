import type { AnswerRules } from './answer-rule.ts';
import { COLLECTIONS } from './culture/collections.ts';
import { FILMS } from './culture/films.ts';
import { STAGE } from './culture/stage.ts';
import { TOURISM } from './culture/tourism.ts';
import { VISITS } from './culture/visits.ts';
import { WORLD_COLLECTIONS } from './culture/world-collections.ts';

/** Tourism, stage and screen, books and heritage. */
export const CULTURE: AnswerRules = {
  ...TOURISM,
  ...VISITS,
  ...STAGE,
  ...FILMS,
  ...COLLECTIONS,
  ...WORLD_COLLECTIONS,
};
