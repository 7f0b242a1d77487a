import { closest } from '../../platform/kernel/closest.ts';
import type { Located } from '../../platform/kernel/json-pointer.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { ArgumentAlternative, KoreanTexts, PayloadShape, RowView } from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { ROW_ARGUMENTS_IN_KOREAN } from './compile-payload.ts';
import { readExtension } from './extension-table.ts';

/** What the texts of an operation are about. */
interface Named {
  readonly input: InputDraft;
  readonly payload: PayloadShape;
  readonly view: RowView;
  readonly alternative: ArgumentAlternative | null;
}

/** The texts of an operation in Korean (`x-ko`); the texts of the document hold for parameters and columns that it shares. */
export function compileKorean(
  operation: Located<JsonObject>,
  { input, payload, view, alternative }: Named,
  context: CompileContext,
): KoreanTexts | null {
  const shared = readExtension('x-ko', context.root, context);
  const given = readExtension('x-ko', operation.value, context);
  if (!given && !shared) return null;
  const columns = new Set([...(payload.columns ?? []), ...Object.keys(view.columns)]);
  const args = new Set(input.properties.keys());
  if (given?.parameters)
    check(operation, 'parameters', { names: given.parameters, known: args }, context);
  if (given?.columns && columns.size > 0)
    check(operation, 'columns', { names: given.columns, known: columns }, context);
  const among = <T>(map: Readonly<Record<string, T>>, known: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(map).filter(([name]) => known.has(name)));
  return {
    server: shared?.title ?? null,
    description: shared?.description ?? null,
    secrets: shared?.secrets ?? {},
    title: given?.title ?? null,
    summary: given?.summary ?? null,
    parameters: {
      ...among(ROW_ARGUMENTS_IN_KOREAN, args),
      ...alternative?.korean,
      ...among(shared?.parameters ?? {}, args),
      ...given?.parameters,
    },
    columns: { ...among(shared?.columns ?? {}, columns), ...given?.columns },
    codes: { ...among(shared?.codes ?? {}, columns), ...given?.codes },
  };
}

function check(
  { pointer }: Located<JsonObject>,
  member: 'parameters' | 'columns',
  { names, known }: { readonly names: object; readonly known: ReadonlySet<string> },
  { strict, refuse }: CompileContext,
): void {
  if (!strict) return;
  for (const name of Object.keys(names)) {
    if (known.has(name)) continue;
    const meant = closest(name, [...known]);
    const help = meant === undefined ? '' : ` Did you mean ${meant}?`;
    refuse(
      `${pointer}/x-ko/${member}`,
      `x-ko names "${name}" in ${member}, which the operation does not have.${help}`,
    );
  }
}
