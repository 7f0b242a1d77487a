import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { SandboxResponse } from '../sandbox-response.ts';
import type { Page } from './page.ts';
import type { Question } from './question.ts';
import type { Row, Rows } from './rows.ts';

/**
 * How a simulated upstream answers a question. Row n starts as a copy of a row of the sample, in turn; then `ids`,
 * `contains` and `echo` change columns of it, and last the columns that `rows` gives.
 */
export interface AnswerRule {
  /** The response to a question that the upstream refuses; undefined for all others. */
  readonly refuse?: (question: Question) => SandboxResponse | undefined;
  /** Columns that repeat a parameter, if it was sent: the name of the parameter for each. */
  readonly echo?: Readonly<Record<string, string>>;
  /** Columns that contain the words of a parameter, if it was sent: the name of the parameter for each. */
  readonly contains?: Readonly<Record<string, string>>;
  /** Columns that count up, so that every row has its own. */
  readonly ids?: readonly string[];
  /** All rows for the question; by default, those of the sample. */
  readonly rows?: (question: Question, sample: readonly Row[]) => Rows;
  /** Members of the response beside the rows, by JSON pointer (in XML, the last segment names the element). */
  readonly envelope?: (question: Question, page: Page) => Readonly<Record<string, unknown>>;
  /** The whole response of a tool without rows; undefined if there is no data. */
  readonly whole?: (question: Question, sample: JsonObject) => JsonObject | undefined;
}

/** Rules by name of tool. */
export type AnswerRules = Readonly<Record<string, AnswerRule>>;
