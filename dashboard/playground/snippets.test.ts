import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { toolCall } from '../shared/curl.ts';
import { curlSnippet, mcpSnippet, pythonValue, typescriptSnippet } from './snippets.ts';

const CALL = {
  gatewayUrl: 'https://tools.example.com/',
  tool: 'search',
  arguments: { q: `it's $HOME "and" \`more\`; 한글`, deep: [true, null] },
};

describe('the snippets of a call', () => {
  test('survive the shell', () => {
    const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${curlSnippet(CALL)}`;
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
    expect(words[1]).toBe('https://tools.example.com/mcp');
    expect(JSON.parse(words[words.indexOf('-d') + 1] ?? '')).toEqual(
      toolCall(CALL.tool, CALL.arguments),
    );
  });

  test('write arguments as Python does', () => {
    expect(pythonValue({ a: [true, false, null, 1.5], 'b"': 'x' })).toBe(
      '{"a": [True, False, None, 1.5], "b\\"": "x"}',
    );
  });

  test('write arguments as TypeScript does', () => {
    expect(typescriptSnippet(CALL)).toContain('"deep": [\n      true,\n      null\n    ]');
  });

  test('offer a client only this tool', () => {
    expect(JSON.parse(mcpSnippet(CALL)).mcpServers['tool-gateway'].url).toBe(
      'https://tools.example.com/mcp?tools=search',
    );
  });
});
