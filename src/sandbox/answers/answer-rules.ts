import type { AnswerRule, AnswerRules } from './answer-rule.ts';
import { CULTURE } from './culture.ts';
import { ECONOMY } from './economy.ts';
import { WEATHER } from './weather.ts';

const RULES: AnswerRules = { ...WEATHER, ...ECONOMY, ...CULTURE };

/** The rule of a shipped tool; undefined for any other, which always has the same answer. */
export const ruleOf = (toolName: string): AnswerRule | undefined =>
  Object.hasOwn(RULES, toolName) ? RULES[toolName] : undefined;
