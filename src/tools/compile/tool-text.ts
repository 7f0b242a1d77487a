import type { Located } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanLine, MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH } from './clean-text.ts';
import type { CompileContext } from './compile-context.ts';
import type { Operation } from './operation.ts';

/** What a tool is called in front of people: the operation's summary. */
export function titleOf({ value, pointer }: Operation, { strict, texts }: CompileContext) {
  const summary = ownText(value, 'summary');
  if (summary === undefined || strict) return summary ?? null;
  const title = texts.text(summary, `${pointer}/summary`, MAX_TITLE_LENGTH);
  return cleanLine(title, MAX_TITLE_LENGTH) || null;
}

/** The description of an operation that has none. */
export const fallbackDescription = ({ method, path }: Pick<Operation, 'method' | 'path'>): string =>
  `${method} ${cleanLine(path, MAX_DESCRIPTION_LENGTH)}`;

/** What a model reads about a tool. Without a text in the document, its method and path. */
export function descriptionOf(operation: Operation, context: CompileContext): string {
  const { value } = operation;
  const text =
    read(operation, 'description', context) ||
    read(operation, 'summary', context) ||
    fallbackDescription(operation);
  return own(value, 'deprecated') === true ? `Deprecated. ${text}` : text;
}

function read(
  { value, pointer }: Located<JsonObject>,
  key: string,
  { texts }: CompileContext,
): string | undefined {
  const text = ownText(value, key)?.trim();
  return text && texts.text(text, `${pointer}/${key}`, MAX_DESCRIPTION_LENGTH);
}
