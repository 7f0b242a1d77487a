import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { prettyLine } from './logger.ts';

const pretty = (line: object): string =>
  stripVTControlCharacters(
    prettyLine(JSON.stringify({ level: 30, time: '2026-11-22T09:08:07.654Z', ...line })),
  );

it('shows the time, the level and the message, then the other members', () => {
  expect(pretty({ msg: 'request', path: '/mcp', status: 200, agent: 'a b', list: [1] })).toBe(
    '09:08:07.654 info  request path=/mcp status=200 agent="a b" list=[1]\n',
  );
  expect(pretty({ level: 50, msg: 'shutting down' })).toBe('09:08:07.654 error shutting down\n');
});

it('shows the stack of an error below its line', () => {
  const err = { type: 'TypeError', stack: 'TypeError: x\n    at a.ts:1' };
  expect(pretty({ msg: 'call failed', err })).toBe(
    '09:08:07.654 info  call failed\n    TypeError: x\n        at a.ts:1\n',
  );
  expect(pretty({ msg: 'call failed', err: 'text' })).toContain('\n    "text"\n');
});

it('does not let foreign text control the terminal', () => {
  const escapes = '\u001b[2J\u0007a\nb\u009b31m';
  const line = prettyLine(
    JSON.stringify({ level: 30, time: '', msg: escapes, path: escapes, err: { stack: escapes } }),
  );
  expect(stripVTControlCharacters(line).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(line).not.toContain('\u001b[2J');
});
