import { quoteJson } from '../../upstreams/payload/json-text.ts';
import type { CallOutcome } from '../tool-call.ts';
import { headlineOf } from './headline.ts';
import { isPlainText, jsonText } from './json-text.ts';
import { notesOn } from './notes.ts';
import { type BodyText, tableText } from './table-text.ts';

/** The line breaks around the body. */
const FRAME_LENGTH = 3;

/** Characters of the response of an upstream that refused a call. */
const MAX_REFUSAL_LENGTH = 2000;

/**
 * A response as a model reads it, as a JSON string in pieces: one line on what it is, the notes, an empty line, and the
 * rows or the JSON. It has at most `maxCharacters`, apart from a note that it was cut.
 */
export function answerLiteral(outcome: CallOutcome, maxCharacters: number): (string | Buffer)[] {
  const head = headOf(outcome);
  const { json } = outcome.response;
  const left = Math.max(0, maxCharacters - head.length - FRAME_LENGTH);
  if (outcome.table || outcome.kind !== 'ok' || json.length > left || isPlainText(json)) {
    return [JSON.stringify(withBody(head, bodyOf(outcome, left)))];
  }
  // Neither decoded nor encoded again: a byte is at most one character.
  return [JSON.stringify(`${head}\n\n`).slice(0, -1), quoteJson(json), '\\n"'];
}

/** The headline and the notes alone, for a response whose data are shown in another form. */
export const answerHead = (outcome: CallOutcome): string => `${headOf(outcome)}\n`;

/** The headline and the notes, one line each. */
const headOf = (outcome: CallOutcome): string =>
  [headlineOf(outcome), ...notesOn(outcome)].join('\n');

function withBody(head: string, { text, cut }: BodyText): string {
  const lines = cut ? `${head}\nNote: ${cut}\n` : `${head}\n`;
  return text === '' ? lines : `${lines}\n${text}\n`;
}

function bodyOf({ table, response, isError, kind }: CallOutcome, maxCharacters: number): BodyText {
  if (table) return table.rows.length === 0 ? EMPTY : tableText(table, maxCharacters);
  if (kind === 'no_data') return EMPTY;
  const { json } = response;
  return jsonText(json, isError ? Math.min(maxCharacters, MAX_REFUSAL_LENGTH) : maxCharacters);
}

const EMPTY = { text: '', cut: null };
