import { normaliseSample, type PresetSample } from '../../src/public-data/preset-samples.ts';
import type { Tool } from '../../src/tools/model.ts';
import { exampleArguments } from '../../src/tools/request/example-arguments.ts';
import { jsonBeginning } from './json-beginning.ts';
import { plain } from './markdown.ts';
import { parameterTable } from './parameter-table.ts';

const SAMPLE_LINES = 12;

const CONFIDENCE: Readonly<Record<string, string>> = {
  high: 'Confidence in this definition: high.',
  medium: 'Confidence in this definition: medium; parts of it are derived from existing clients.',
  low: 'Confidence in this definition: low.',
};

/** The description and parameters of a tool, an example call, and the beginning of its sample response. */
export function toolSection(
  tool: Tool,
  sample: PresetSample | undefined,
  confidence: string,
): string {
  const payload = sample && normaliseSample(tool, sample);
  return [
    `#### ${tool.name}`,
    plain(tool.description),
    `${cacheSentence(tool)} ${confidence ? CONFIDENCE[confidence] : ''}`.trim(),
    parameterTable(tool),
    ['```sh', exampleCall(tool), '```'].join('\n'),
    ...(payload
      ? [
          'Its `data` starts like this (a sample):',
          ['```js', jsonBeginning(JSON.parse(payload.json.toString()), SAMPLE_LINES), '```'].join(
            '\n',
          ),
        ]
      : []),
  ].join('\n\n');
}

function exampleCall(tool: Tool): string {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool.name, arguments: exampleArguments(tool) },
  };
  const body = JSON.stringify(call).replaceAll("'", "'\\''");
  return `curl -s http://127.0.0.1:8080/mcp -H "x-api-key: $KEY" -H 'content-type: application/json' -d '${body}'`;
}

const UNITS = [
  [86400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function cacheSentence({ cacheTtlSeconds }: Tool): string {
  return cacheTtlSeconds === 0
    ? 'Responses are not cached.'
    : `Successful responses are cached for ${durationOf(cacheTtlSeconds)}.`;
}

function durationOf(seconds: number): string {
  const [unit, name] = UNITS.find(([size]) => seconds % size === 0) ?? UNITS[3];
  const count = seconds / unit;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
