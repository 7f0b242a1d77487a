import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FinishedCall } from '../../calls/call-tool.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { AdminEvents } from './admin-events.ts';
import { createLiveRoutes, type LiveBatch } from './live.ts';
import { createLiveCalls } from './live-calls.ts';

const finished = (tenantId: string, auditId: string, more: object = {}): FinishedCall =>
  ({
    auditId,
    entry: { tool: { name: 'weather' } },
    context: {
      caller: { tenantId, apiKeyId: 'key_a' },
      clientName: 'me@example.com',
      dialect: 'plain',
    },
    result: { isError: false, cacheStatus: 'HIT', response: { status: 200 } },
    durationMs: 1.23456,
    ...more,
  }) as unknown as FinishedCall;

/** Opens the live view of a tenant as a browser that may be slow. */
function open(liveCalls = createLiveCalls(), tenantId = 'ten_a') {
  const route = createLiveRoutes({ liveCalls })['GET /tenants/:tenant/live'];
  const events = route.handle({ tenant: { id: tenantId } } as never, {});
  if (!(events instanceof AdminEvents)) throw new Error('Not a stream.');
  const state = { isSlow: false };
  const batches: LiveBatch[] = [];
  const stop = events.open({
    send: (_name, data) => {
      if (!state.isSlow) batches.push(data as LiveBatch);
      return !state.isSlow;
    },
  });
  onTestFinished(stop);
  return { liveCalls, state, batches, stop };
}

describe('the live view', () => {
  it('shows the finished calls of its tenant together, with what the record shows', async () => {
    const { liveCalls, batches } = open();
    liveCalls.publish(finished('ten_a', 'aud_1'));
    liveCalls.publish(finished('ten_b', 'aud_2'));
    liveCalls.publish(finished('ten_a', 'aud_3', { result: new GatewayError('upstream_timeout') }));
    await expect.poll(() => batches).toHaveLength(1);
    expect(batches[0]).toEqual({
      dropped: 0,
      calls: [
        {
          auditId: 'aud_1',
          at: expect.stringMatching(/Z$/),
          tool: 'weather',
          apiKeyId: 'key_a',
          clientName: expect.not.stringContaining('example.com'),
          dialect: 'plain',
          outcome: 'ok',
          error: null,
          upstreamStatus: 200,
          cacheStatus: 'HIT',
          durationMs: 1.235,
        },
        expect.objectContaining({ auditId: 'aud_3', outcome: 'error', error: 'upstream_timeout' }),
      ],
    });
  });

  it('counts what does not fit into an event, and what a slow browser misses', async () => {
    const { liveCalls, state, batches } = open();
    for (let n = 0; n < 130; n++) liveCalls.publish(finished('ten_a', `aud_${n}`));
    await expect.poll(() => batches).toHaveLength(1);
    expect(batches[0]?.calls).toHaveLength(100);
    expect(batches[0]?.dropped).toBe(30);
    state.isSlow = true;
    liveCalls.publish(finished('ten_a', 'aud_missed'));
    await sleep(150);
    state.isSlow = false;
    liveCalls.publish(finished('ten_a', 'aud_next'));
    await expect.poll(() => batches).toHaveLength(2);
    expect(batches[1]).toMatchObject({ dropped: 1, calls: [{ auditId: 'aud_next' }] });
  });

  it('sends nothing once it is closed', async () => {
    const { liveCalls, batches, stop } = open();
    liveCalls.publish(finished('ten_a', 'aud_1'));
    stop();
    liveCalls.publish(finished('ten_a', 'aud_2'));
    await sleep(150);
    expect(batches).toEqual([]);
  });

  it('can be opened 50 times in a tenant', () => {
    const { liveCalls, stop } = open();
    for (let n = 1; n < 50; n++) open(liveCalls);
    expect(() => open(liveCalls)).toThrow(/Too many live views/);
    open(liveCalls, 'ten_b');
    stop();
    open(liveCalls);
  });
});
