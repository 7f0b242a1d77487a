import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../shared/curl.ts';
import { commandLine, restRequest } from './audit-commands.ts';

test.each(['plain', "it's", '$(reboot)', '`id`', 'a b', '', '서울', '"; rm'])(
  'a shell reads %j as one word',
  (text) => {
    const output = execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`]).toString();
    expect(output).toBe(text);
  },
);

test('the command line and the request have the same filter', () => {
  const filter = { tool: 'a', requestId: 'r', client: "it's", from: '2026-01-01T00:00:00Z' };
  expect(commandLine('acme', filter)).toBe(
    "tool-gateway audit list --tenant acme --tool a --client 'it'\\''s' --request-id r --from 2026-01-01T00:00:00Z",
  );
  expect(restRequest('http://localhost:8080', filter)).toBe(
    [
      'curl -sG http://localhost:8080/api/v1/audit',
      '  -H "x-api-key: $TOOL_GATEWAY_API_KEY"',
      '  --data-urlencode tool=a',
      "  --data-urlencode 'client=it'\\''s'",
      '  --data-urlencode requestId=r',
      '  --data-urlencode from=2026-01-01T00:00:00Z',
    ].join(' \\\n'),
  );
});
