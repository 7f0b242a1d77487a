import type { AnswerRules } from './answer-rule.ts';
import { BANK } from './economy/bank.ts';
import { COMPANIES } from './economy/companies.ts';
import { CURRENCIES } from './economy/currencies.ts';
import { DEALS } from './economy/deals.ts';
import { DISCLOSURES } from './economy/disclosures.ts';
import { MARKETS } from './economy/markets.ts';
import { STATISTICS } from './economy/statistics.ts';
import { TENDERS } from './economy/tenders.ts';
import { WORLD_BANK } from './economy/world-bank.ts';

/** Markets, currencies, statistics, companies and deals. */
export const ECONOMY: AnswerRules = {
  ...MARKETS,
  ...CURRENCIES,
  ...BANK,
  ...STATISTICS,
  ...WORLD_BANK,
  ...COMPANIES,
  ...DISCLOSURES,
  ...DEALS,
  ...TENDERS,
};
