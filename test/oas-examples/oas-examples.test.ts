import { afterAll, describe, expect, test } from 'vitest';
import { DefinitionError } from '../../src/tools/document/definition-error.ts';
import { createReport } from '../../src/tools/report/create-report.ts';
import { createArgumentValidator } from '../../src/tools/request/argument-validator.ts';
import { createRequestEncoder } from '../../src/tools/request/request-encoder.ts';
import { registerText } from '../support/compile-text.ts';
import { exampleDocuments } from './documents.ts';

const documents = exampleDocuments();

/** Documents that have nothing to call, and why. */
const WITHOUT_TOOLS = new Map([
  ['2.0/json/api-with-examples.json', 'no server URL'],
  ['2.0/yaml/api-with-examples.yaml', 'no server URL'],
  ['3.0/json/callbacks.json', 'no server URL'],
  ['3.0/yaml/callbacks.yaml', 'no server URL'],
  ['3.0/json/link-example.json', 'no server URL'],
  ['3.0/yaml/link-example.yaml', 'no server URL'],
  ['3.0/json/openapi-workshop/title.json', 'no operations'],
  ['3.1/json/webhooks.json', 'no paths'],
  ['3.1/yaml/webhooks.yaml', 'no paths'],
]);

const counts = { documents: 0, tools: 0, tokens: 0, accepted: 0, changed: 0, refused: 0 };

afterAll(() => console.log(`@readme/oas-examples: ${JSON.stringify(counts)}`));

/** The report on a document, or the reason why it cannot be compiled. */
async function register(text: string) {
  try {
    const compiled = await registerText(text);
    for (const tool of compiled.api.tools) {
      createArgumentValidator(tool)({});
      createRequestEncoder(tool);
    }
    return { report: createReport(compiled), reason: '' };
  } catch (error) {
    if (error instanceof DefinitionError) return { report: undefined, reason: error.message };
    throw error;
  }
}

describe('the documents of @readme/oas-examples', () => {
  test('are many, in all versions', () => {
    expect(documents.size).toBeGreaterThan(100);
  });

  test.each([...documents.keys()])('%s yields tools, or names what is wrong', async (name) => {
    const { report, reason } = await register(documents.get(name) ?? '');
    const why = [
      reason,
      ...(report?.operations.map((operation) => operation.reason ?? '') ?? []),
      ...(report?.warnings.map(({ message }) => message) ?? []),
    ].join('\n');
    const expected = WITHOUT_TOOLS.get(name);
    if (expected === undefined) expect(report?.tools).toBeGreaterThan(0);
    else expect(why).toContain(expected);
    // None of them tries to instruct a model.
    expect(why).not.toContain('tries to instruct');
    for (const { outcome, pointer, reason: text } of report?.operations ?? []) {
      counts[outcome]++;
      expect(pointer).toMatch(/^\//);
      if (outcome !== 'accepted') expect(text).toMatch(/\.$/);
    }
    counts.documents++;
    counts.tools += report?.tools ?? 0;
    counts.tokens += report?.tokens ?? 0;
  });

  test('mean the same as JSON and as YAML', async () => {
    for (const [name, text] of documents) {
      const other = documents.get(name.replaceAll('json', 'yaml'));
      if (!name.endsWith('.json') || other === undefined) continue;
      const [json, yaml] = [await register(text), await register(other)];
      expect(yaml.report?.tools, name).toBe(json.report?.tools);
    }
  });
});
