import { expect, test } from 'vitest';
import { prepareTool } from '../../src/calls/prepare-call.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { JsonSchema, Tool } from '../../src/tools/model.ts';
import { createArgumentValidator } from '../../src/tools/request/argument-validator.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

const MOMENTS = [
  '2026-11-21T12:00:00+09:00',
  '2027-01-01T00:00:00+09:00',
  '2028-02-29T23:59:59+09:00',
];

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const tools = presets.flatMap(({ tools }) => tools);

/** No arguments, and each value of each argument with an enum. */
function someArguments({ inputSchema }: Tool): Record<string, unknown>[] {
  const properties = inputSchema['properties'] as Record<string, JsonSchema>;
  const choices = Object.entries(properties).flatMap(([name, schema]) =>
    Array.isArray(schema['enum']) ? schema['enum'].map((value) => ({ [name]: value })) : [],
  );
  return [{}, ...choices];
}

test.each(
  tools
    .filter((tool) => prepareTool(tool).computed.length > 0)
    .map((tool) => [tool.name, tool] as const),
)('the tool accepts the defaults that the gateway computes for %s', (_, tool) => {
  const validate = createArgumentValidator(tool);
  const { computed } = prepareTool(tool);
  for (const { property, expression, compute } of computed) {
    for (const args of someArguments(tool)) {
      for (const moment of MOMENTS) {
        for (const stepsBack of [0, tool.stepBack]) {
          const nowMs = Date.parse(moment);
          const value = compute({ nowMs, args, stepsBack });
          const faults = validate({ [property]: value }).filter(
            ({ path }) => path === `/${property}`,
          );
          expect({ expression, value, faults }).toEqual({ expression, value, faults: [] });
        }
      }
    }
  }
});
