import type { Tool } from '../../src/tools/model.ts';
import type { UpstreamFamily } from '../families.ts';
import type { SandboxResponse } from '../sandbox-response.ts';
import { type AnswerRule, type AnswerRules, each, type Row, repeated } from './answer-rule.ts';
import { COLLECTIONS } from './culture/collections.ts';
import { SHOWS } from './culture/shows.ts';
import { TOURISM } from './culture/tourism.ts';
import { COMPANIES } from './economy/companies.ts';
import { CURRENCIES } from './economy/currencies.ts';
import { DEALS } from './economy/deals.ts';
import { MARKETS } from './economy/markets.ts';
import { STATISTICS } from './economy/statistics.ts';
import { WORLD_BANK } from './economy/world-bank.ts';
import { increaseId, readFigure } from './figures.ts';
import { isUnknownCode, pageOf, type Question } from './question.ts';
import { rowsOf, writePage, writeTotal } from './sample-format.ts';
import { BULLETINS } from './weather/bulletins.ts';
import { ENVIRONMENT } from './weather/environment.ts';
import { FORECASTS } from './weather/forecasts.ts';
import { OBSERVATIONS } from './weather/observations.ts';
import { OPEN_METEO } from './weather/open-meteo.ts';

/** Of the shipped tools; any other always has the same answer. */
const RULES: AnswerRules = {
  ...FORECASTS,
  ...OBSERVATIONS,
  ...BULLETINS,
  ...ENVIRONMENT,
  ...OPEN_METEO,
  ...MARKETS,
  ...CURRENCIES,
  ...STATISTICS,
  ...WORLD_BANK,
  ...COMPANIES,
  ...DEALS,
  ...TOURISM,
  ...SHOWS,
  ...COLLECTIONS,
};

interface AskedOperation {
  readonly tool: Tool;
  readonly family: UpstreamFamily;
  readonly sample: SandboxResponse;
}

/** A response, and whether it is one with data: neither refused nor empty. */
interface Answer {
  readonly response: SandboxResponse;
  readonly hasData: boolean;
}

/** What the upstream responds to a question, in the form of its sample; without a rule, the sample itself. */
export function answerQuestion(operation: AskedOperation, question: Question): Answer {
  const { tool, family, sample } = operation;
  const rule = Object.hasOwn(RULES, tool.name) ? RULES[tool.name] : undefined;
  if (!rule) return { response: sample, hasData: true };
  const refused = rule.refuse?.(question);
  if (refused) return { response: refused, hasData: false };
  const isKnown = !rule.codes?.some((name) => isUnknownCode(question.text(name)));
  if (rule.whole) {
    const whole = isKnown && rule.whole(question, JSON.parse(sample.body));
    return whole
      ? { response: { ...sample, body: JSON.stringify(whole) }, hasData: true }
      : { response: family.empty(sample), hasData: false };
  }
  const ofSample = rowsOf(sample, tool.payload);
  const found = (isKnown && (rule.rows ? rule.rows(question, ofSample) : ofSample)) || [];
  const { count, at } = Array.isArray(found)
    ? repeated(found.length, (index) => found[index] ?? {})
    : found;
  const range = pageOf(tool, question);
  const length = Math.max(0, Math.min(range.size, count - range.from));
  const rows = Array.from({ length }, (_, place) => ({
    ...rowLikeSample(rule, question, ofSample, range.from + place),
    ...at(range.from + place),
  }));
  const page = { ...range, total: count, rows };
  if (rows.length === 0) {
    const response = writeTotal(family.empty(sample), tool.payload.total, page);
    return { response, hasData: false };
  }
  const envelope = rule.envelope?.(question, page) ?? {};
  return { response: writePage(sample, tool.payload, page, envelope), hasData: true };
}

/** The row of the sample in its turn, with the columns that every row of the rule has. */
function rowLikeSample(
  rule: AnswerRule,
  question: Question,
  sample: readonly Row[],
  index: number,
): Row {
  const template = sample[index % sample.length] ?? {};
  const passed = index - (index % Math.max(1, sample.length));
  const following = (
    columns: Readonly<Record<string, string>> = {},
    change: (text: string, old: unknown) => unknown,
  ): Row =>
    Object.fromEntries(
      Object.entries(columns)
        .filter(([, parameter]) => question.has(parameter))
        .map(([column, parameter]) => [column, change(question.text(parameter), template[column])]),
    );
  return {
    ...template,
    ...each(rule.ids ?? [], (column) => increaseId(template[column], passed)),
    // Unchanged where they contain the words.
    ...following(rule.contains, (text, old) => (String(old).includes(text) ? old : text)),
    // As numbers where the sample has numbers.
    ...following(rule.echo, (text, old) =>
      typeof old === 'number' ? (readFigure(text) ?? text) : text,
    ),
  };
}
