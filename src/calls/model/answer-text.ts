import { quoteJson } from '../../upstreams/payload/json-text.ts';
import type { CallOutcome } from '../tool-call.ts';
import { headlineOf } from './headline.ts';
import { isPlainText, jsonText } from './json-text.ts';
import { notesOn } from './notes.ts';
import { tableText } from './table-text.ts';

/** The line breaks around the body. */
const FRAME_LENGTH = 3;

/** Characters of the response of an upstream that refused a call. */
const MAX_REFUSAL_LENGTH = 2000;

/**
 * A response as a model reads it, as a JSON string in pieces: one line on what it is, the notes, an empty line, and the
 * rows or the JSON. It has at most `maxCharacters`, apart from a note that it was cut.
 */
export function answerLiteral(outcome: CallOutcome, maxCharacters: number): (string | Buffer)[] {
  const head = [headlineOf(outcome), ...notesOn(outcome)].join('\n');
  const { json } = outcome.response;
  const isWhole = json.length + head.length + FRAME_LENGTH <= maxCharacters;
  if (outcome.table || outcome.kind !== 'ok' || !isWhole || isPlainText(json)) {
    return [JSON.stringify(answerText(outcome, maxCharacters))];
  }
  // Neither decoded nor encoded again: a byte is at most one character.
  return [JSON.stringify(`${head}\n\n`).slice(0, -1), quoteJson(json), '\\n"'];
}

/** The same as text. */
function answerText(outcome: CallOutcome, maxCharacters: number): string {
  const head = [headlineOf(outcome), ...notesOn(outcome)];
  const left = Math.max(0, maxCharacters - head.join('\n').length - FRAME_LENGTH);
  const body = bodyOf(outcome, left);
  if (body.cut) head.push(`Note: ${body.cut}`);
  return body.text === '' ? `${head.join('\n')}\n` : `${head.join('\n')}\n\n${body.text}\n`;
}

/** The headline and the notes alone, for an answer whose data are shown in another form. */
export const answerHead = (outcome: CallOutcome): string =>
  `${[headlineOf(outcome), ...notesOn(outcome)].join('\n')}\n`;

function bodyOf({ table, response, isError, kind }: CallOutcome, maxCharacters: number) {
  if (table) return table.rows.length === 0 ? EMPTY : tableText(table, maxCharacters);
  if (kind === 'no_data') return EMPTY;
  const { json } = response;
  return jsonText(json, isError ? Math.min(maxCharacters, MAX_REFUSAL_LENGTH) : maxCharacters);
}

const EMPTY = { text: '', cut: null };
