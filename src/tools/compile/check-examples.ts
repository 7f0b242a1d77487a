import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { createArgumentValidator } from '../request/argument-validator.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';

/** Reports each example of a preset's parameter that the parameter's schema rejects: callers would copy it. */
export function checkExamples(
  { properties, examples: pointers }: InputDraft,
  definitions: JsonObject,
  { issues }: CompileContext,
): void {
  const shown = [...properties].filter(([, schema]) => examplesOf(schema).length > 0);
  if (shown.length === 0) return;
  // Without the examples themselves, which messages would recommend.
  const plain = shown.map(([name, { examples: _, ...schema }]) => [name, schema] as const);
  const inputSchema = { type: 'object', properties: Object.fromEntries(plain), $defs: definitions };
  const validate = createArgumentValidator({ inputSchema });
  for (const [name, schema] of shown) {
    for (const example of examplesOf(schema)) {
      // A copy: the check fills in defaults.
      for (const { message } of validate({ [name]: structuredClone(example) })) {
        const text = `An example of "${name}" does not fit its schema: ${message}`;
        issues.add(pointers.get(name) ?? '', text);
      }
    }
  }
}

const examplesOf = ({ examples }: JsonSchema): readonly unknown[] =>
  Array.isArray(examples) ? examples : [];
