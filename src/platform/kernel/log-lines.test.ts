import { expect, it } from 'vitest';
import { GatewayError } from './error.ts';
import { createOutageLog } from './log-lines.ts';

function logTo(lines: object[]) {
  return createOutageLog({ warn: (fields: object) => void lines.push(fields) }, 'Redis is away.');
}

it('writes one line however many calls fail', () => {
  const lines: object[] = [];
  const report = logTo(lines);
  for (let i = 0; i < 100; i++) report(new Error('connect ECONNREFUSED 127.0.0.1:1'));
  expect(lines).toEqual([{ reason: 'connect ECONNREFUSED 127.0.0.1:1' }]);
});

it('keeps only the code of a server reply, which may quote the password it was sent', () => {
  const lines: object[] = [];
  const reply = new Error("ERR unknown command 'AUTH', with args beginning with: 'hunter2'");
  reply.name = 'ReplyError';
  logTo(lines)(Object.assign(reply, { command: { name: 'auth', args: ['hunter2'] } }));
  expect(lines).toEqual([{ reason: 'ERR' }]);
});

it('adds the code of the cause, whose text may quote what was sent', () => {
  const lines: object[] = [];
  const cause = Object.assign(new Error('Key (id)=(hunter2) already exists.'), { code: '23505' });
  logTo(lines)(new Error('The database refused it.', { cause }));
  logTo(lines)(new GatewayError('internal', undefined, { cause }));
  expect(lines).toEqual([
    { reason: 'The database refused it. (23505)' },
    { reason: 'a fault of the gateway (23505)' },
  ]);
});
