import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createSecurityLog,
  MAX_LINES,
  MAX_LINES_OF_SOURCE,
  type SecurityLog,
} from './security-log.ts';

describe('the security log', () => {
  let lines: unknown[];
  let log: SecurityLog;
  let nowMs: number;

  beforeEach(() => {
    lines = [];
    nowMs = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const write = (level: string) => (line: object) => lines.push({ level, ...line });
    log = createSecurityLog({ info: write('info'), warn: write('warn') });
  });
  afterEach(() => vi.restoreAllMocks());

  it('writes every event, and a refusal as a warning', () => {
    log.record('auth_failed', { address: '192.0.2.1' });
    log.record('key_revoked', { apiKeyId: 'key_1' });
    expect(lines).toEqual([
      { level: 'warn', event: 'auth_failed', address: '192.0.2.1' },
      { level: 'info', event: 'key_revoked', apiKeyId: 'key_1' },
    ]);
  });

  it('limits the lines about one source per minute, and reports later how many it suppressed', () => {
    for (let i = 0; i < 100; i++) log.record('auth_failed', {}, '192.0.2.1');
    expect(lines).toHaveLength(MAX_LINES_OF_SOURCE);
    nowMs += 60_000;
    log.record('auth_failed', {}, '192.0.2.1');
    log.record('auth_failed', {}, '192.0.2.1');
    expect(lines.slice(MAX_LINES_OF_SOURCE)).toEqual([
      { level: 'warn', event: 'auth_failed', suppressed: 100 - MAX_LINES_OF_SOURCE },
      { level: 'warn', event: 'auth_failed' },
    ]);
  });

  it('limits the lines of one kind per minute, however many sources there are', () => {
    for (let i = 0; i < 10_000; i++) log.record('auth_failed', {}, `source ${i}`);
    expect(lines).toHaveLength(MAX_LINES);
    log.record('tool_denied', {}, 'source 1');
    expect(lines).toHaveLength(MAX_LINES + 1);
  });

  it('counts events that it does not write', () => {
    for (let i = 0; i < 100; i++) log.record('rate_limited', {}, 'key_1');
    expect(log.counts()).toMatchObject({ rate_limited: 100, auth_failed: 0 });
  });
});
