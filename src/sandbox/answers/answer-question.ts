import type { Tool } from '../../tools/model.ts';
import { isXml, type SandboxResponse } from '../sandbox-response.ts';
import type { UpstreamFamily } from '../upstream-family.ts';
import type { AnswerRule } from './answer-rule.ts';
import { increaseId, readFigure } from './figures.ts';
import { rowsOfJson, writeJsonPage, writeJsonTotal } from './json-answer.ts';
import { type Page, pageOf } from './page.ts';
import type { Question } from './question.ts';
import { listed, type Row, type Rows } from './rows.ts';
import { rowsOfXml, writeXmlPage, writeXmlTotal } from './xml-answer.ts';

/** An upstream operation that is asked. */
export interface AskedOperation {
  readonly tool: Tool;
  readonly family: UpstreamFamily;
  readonly sample: SandboxResponse;
}

/** A response, and whether it is one with data: neither refused nor empty. */
export interface Answer {
  readonly response: SandboxResponse;
  readonly hasData: boolean;
}

/** What the upstream responds to a question, in the form of its sample; without a rule, the sample itself. */
export function answerQuestion(
  operation: AskedOperation,
  rule: AnswerRule | undefined,
  question: Question,
): Answer {
  const { tool, family, sample } = operation;
  if (!rule) return { response: sample, hasData: true };
  const refused = rule.refuse?.(question);
  if (refused) return { response: refused, hasData: false };
  if (rule.whole) {
    const whole = rule.whole(question, JSON.parse(sample.body));
    return whole
      ? { response: { ...sample, body: JSON.stringify(whole) }, hasData: true }
      : { response: family.empty(sample), hasData: false };
  }
  return writePage(operation, rule, question, takePage(tool, rule, question, rowsOf(sample, tool)));
}

const rowsOf = (sample: SandboxResponse, { payload }: Tool): Row[] =>
  isXml(sample) ? rowsOfXml(sample, payload) : rowsOfJson(sample, payload);

function takePage(tool: Tool, rule: AnswerRule, question: Question, sample: Row[]): Page {
  const rows = rule.rows?.(question, sample) ?? listed(sample);
  const range = pageOf(tool, question);
  const count = Math.max(0, Math.min(range.size, rows.count - range.from));
  const taken = Array.from({ length: count }, (_, index) =>
    completeRow({ rule, question, sample, rows }, range.from + index),
  );
  return { ...range, total: rows.count, rows: taken };
}

interface RowParts {
  readonly rule: AnswerRule;
  readonly question: Question;
  readonly sample: readonly Row[];
  readonly rows: Rows;
}

function completeRow({ rule, question, sample, rows }: RowParts, index: number): Row {
  const template = sample[index % sample.length] ?? {};
  const round = Math.floor(index / Math.max(1, sample.length));
  const ids = (rule.ids ?? []).map((column) => [
    column,
    increaseId(template[column], round * sample.length),
  ]);
  return {
    ...template,
    ...Object.fromEntries(ids),
    ...wordsOf(rule, question, template),
    ...echoOf(rule, question, template),
    ...rows.at(index),
  };
}

/** Columns with the words that were asked for, unchanged where they contain them. */
function wordsOf(rule: AnswerRule, question: Question, template: Row): Row {
  const columns = Object.entries(rule.contains ?? {}).flatMap(([column, parameter]) => {
    const words = question.text(parameter);
    if (words === '' || String(template[column]).includes(words)) return [];
    return [[column, words]];
  });
  return Object.fromEntries(columns);
}

/** Columns that repeat what was asked for, as numbers where the sample has numbers. */
function echoOf(rule: AnswerRule, question: Question, template: Row): Row {
  const columns = Object.entries(rule.echo ?? {}).flatMap(([column, parameter]) => {
    const text = question.text(parameter);
    if (text === '') return [];
    const isNumber = typeof template[column] === 'number';
    return [[column, isNumber ? (readFigure(text) ?? text) : text]];
  });
  return Object.fromEntries(columns);
}

function writePage(
  { tool: { payload }, family, sample }: AskedOperation,
  rule: AnswerRule,
  question: Question,
  page: Page,
): Answer {
  const xml = isXml(sample);
  const envelope = rule.envelope?.(question, page) ?? {};
  if (page.rows.length > 0) {
    const write = xml ? writeXmlPage : writeJsonPage;
    return { response: write(sample, payload, page, envelope), hasData: true };
  }
  const empty = family.empty(sample);
  const write = isXml(empty) ? writeXmlTotal : writeJsonTotal;
  return { response: write(empty, payload.total, page), hasData: false };
}
